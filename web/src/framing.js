// How far the camera must stand back to see a motion.
import { Box3, Quaternion, Vector3 } from 'three';

/** Of all bodies together; more would take long and change nothing. */
const mostSamples = 12000;

/**
 * Corners of the boxes around all bodies over the motion, a few dozen frames of it.
 * @param {import('./motion.js').Motion} motion @param {import('./figure.js').Figure} figure
 * @param {boolean} following positions relative to the centre of mass of their frame
 * @param {number} from only frames after this time
 */
export function sweep(motion, figure, following = false, from = motion.start) {
  const points = [];
  const poses = new Float32Array(7 * motion.bodies);
  const shift = new Vector3();
  const turn = new Quaternion();
  const place = new Vector3();
  const first = motion.frameAt(from);
  const last = motion.times.length - 1;
  const steps = Math.min(90, last - first + 1, Math.max(6, Math.floor(mostSamples / motion.bodies)));
  for (let s = 0; s < steps; s++) {
    motion.sample(motion.times[first + Math.floor((s * (last - first)) / Math.max(steps - 1, 1))], poses);
    if (following) figure.centerOfMass(poses, shift);
    figure.corners.forEach((corners, i) => {
      turn.fromArray(poses, 7 * i + 3);
      place.fromArray(poses, 7 * i).sub(shift);
      // A motion that flew apart still deserves a picture of its good part.
      if (!Number.isFinite(place.lengthSq())) return;
      for (const corner of corners) points.push(corner.clone().applyQuaternion(turn).add(place));
    });
  }
  return points;
}

/** Corners of the boxes around bodies as the poses have them; of very many bodies, some. @param {Vector3} [shift] taken off */
export function cornersNow(figure, poses, shift = new Vector3()) {
  const [turn, place] = [new Quaternion(), new Vector3()];
  const every = Math.ceil(figure.corners.length / 500);
  return figure.corners.flatMap((corners, i) => {
    place.fromArray(poses, 7 * i).sub(shift);
    if (i % every || !Number.isFinite(place.lengthSq())) return [];
    turn.fromArray(poses, 7 * i + 3);
    return corners.map((corner) => corner.clone().applyQuaternion(turn).add(place));
  });
}

/** Whether a point is outside of the picture, or nearly. @param {import('three').Camera} camera */
export function leaves(points, camera, edge = 0.98) {
  camera.updateMatrixWorld();
  const at = new Vector3();
  return points.some((point) => {
    at.copy(point).project(camera);
    return Math.abs(at.x) > edge || Math.abs(at.y) > edge || at.z > 1;
  });
}

/** Centre, size and lowest point of what points fill. @param {Vector3[]} points */
export function extentOf(points) {
  const box = new Box3().setFromPoints(points);
  if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  return { center: box.getCenter(new Vector3()), size: box.min.distanceTo(box.max), lowest: box.min.y };
}

/**
 * The point to look at and the distance from it, for a camera that looks against `direction`, so that
 * every point is in the picture with a little air around it and none under what covers its edges.
 * @param {import('three').PerspectiveCamera} camera @param {Vector3} direction from the target to the camera
 * @param {{top: number, bottom: number}} covered parts of the picture's height
 */
export function fit(points, camera, direction, covered) {
  const z = direction.clone().normalize();
  const x = new Vector3(0, 1, 0).cross(z).normalize();
  const y = z.clone().cross(x);
  const tanY = 0.9 * Math.tan((camera.fov * Math.PI) / 360);
  const tanX = tanY * camera.aspect;
  const tanTop = tanY * (1 - 2 * covered.top);
  const tanBottom = tanY * (1 - 2 * covered.bottom);
  const target = extentOf(points).center;
  let distance = 0;
  // The best centre depends on the distance and the other way round; a few rounds settle it.
  for (let round = 0; round < 6; round++) {
    distance = 0;
    const edges = { left: 0, right: 0, bottom: 0, top: 0 };
    for (const point of points) {
      const p = point.clone().sub(target);
      const [px, py, pz] = [p.dot(x), p.dot(y), p.dot(z)];
      const need = {
        right: px / tanX + pz, left: -px / tanX + pz, top: py / tanTop + pz, bottom: -py / tanBottom + pz,
      };
      for (const side in need) edges[side] = Math.max(edges[side], need[side]);
    }
    distance = Math.max(...Object.values(edges));
    target.addScaledVector(x, ((edges.right - edges.left) * tanX) / 2);
    target.addScaledVector(y, ((edges.top - edges.bottom) * (tanTop + tanBottom)) / 4);
  }
  return { target, distance };
}
