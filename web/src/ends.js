// What springs and wishes hold on to: points of bodies and of the world, paths and surfaces that they slide on.
import { Matrix4, Quaternion, Vector3 } from 'three';

const perPoint = 24; // pieces of a smooth path between two of its points

const nearestOnPiece = (p, a, b) => {
  const way = b.clone().sub(a);
  const part = p.clone().sub(a).dot(way) / (way.lengthSq() || 1);
  return a.clone().addScaledVector(way, Math.min(Math.max(part, 0), 1));
};

/** A cubic through points in straight pieces: Catmull and Rom's, at an end the parabola through it and the next two. */
function smoothed(points, closed) {
  const count = points.length;
  const at = (i) => points[(i + count) % count];
  const slope = (i) => {
    if (closed || (i > 0 && i + 1 < count)) return at(i + 1).clone().sub(at(i - 1)).multiplyScalar(0.5);
    const [a, b, c, sign] = i === 0 ? [at(0), at(1), at(2), 1] : [at(i), at(i - 1), at(i - 2), -1];
    return new Vector3().addScaledVector(a, -1.5).addScaledVector(b, 2).addScaledVector(c, -0.5).multiplyScalar(sign);
  };
  const out = [];
  for (let i = 0; i < (closed ? count : count - 1); i++) {
    const [from, to] = [slope(i), slope((i + 1) % count)];
    for (let k = 0; k < perPoint; k++) {
      const s = k / perPoint;
      const [s2, s3] = [s * s, s * s * s];
      out.push(new Vector3().addScaledVector(at(i), 2 * s3 - 3 * s2 + 1).addScaledVector(from, s3 - 2 * s2 + s)
        .addScaledVector(at(i + 1), 3 * s2 - 2 * s3).addScaledVector(to, s3 - s2));
    }
  }
  return [...out, closed ? points[0] : points[count - 1]];
}

/** A path as a line through many points, in the world at rest. */
export function pathPoints({ points, smooth, closed }) {
  const places = points.map((point) => new Vector3(...point));
  if (smooth && places.length > 2) return smoothed(places, closed ?? false);
  return closed ? [...places, places[0]] : places;
}

/** Where on a path or a surface, given in the world at rest, an end that slides is nearest to a point. */
function sliding({ path, plane, sphere, cylinder }) {
  if (path) {
    const points = pathPoints(path);
    return (p) => points.slice(1).map((b, i) => nearestOnPiece(p, points[i], b))
      .reduce((best, one) => (one.distanceToSquared(p) < best.distanceToSquared(p) ? one : best));
  }
  if (plane) {
    const normal = new Vector3(...plane.normal).normalize();
    const point = new Vector3(...plane.point);
    return (p) => p.clone().addScaledVector(normal, -p.clone().sub(point).dot(normal));
  }
  if (sphere) {
    const center = new Vector3(...sphere.center);
    return (p) => p.clone().sub(center).setLength(sphere.radius).add(center);
  }
  if (cylinder) {
    const axis = new Vector3(...cylinder.axis).normalize();
    const point = new Vector3(...cylinder.point);
    return (p) => {
      const foot = point.clone().addScaledVector(axis, p.clone().sub(point).dot(axis));
      return p.clone().sub(foot).setLength(cylinder.radius).add(foot);
    };
  }
  return undefined;
}

/** What an end holds on to. @typedef {{body: number, place: Vector3, slide?: (p: Vector3) => Vector3, mesh?: string, vertex?: number}} End */

/**
 * How ends are read from a scene. @param {import('./data.js').Scene} scene
 * @param {Matrix4[]} rests of its bodies @returns {(end: any) => End}
 */
export function endReader(scene, rests) {
  const index = new Map(scene.bodies.map(({ name }, i) => [name, i]));
  return (end) => {
    const { body = 'world', point, mesh, vertex, ...form } = typeof end === 'string' ? { body: end } : end;
    const number = index.get(body) ?? -1;
    const center = number < 0 ? [0, 0, 0] : (scene.bodies[number].center ?? [0, 0, 0]);
    const place = point ? new Vector3(...point) : new Vector3(...center);
    // From the world at rest into the body's frame; its centre is given in that frame.
    if (point && number >= 0) place.applyMatrix4(rests[number].clone().invert());
    return { body: number, place, slide: sliding(form), mesh, vertex };
  };
}

/** The frame of a body among `poses`, or the world's (-1). */
export function frameOf(body, poses) {
  if (body < 0) return new Matrix4();
  const k = 7 * body;
  return new Matrix4().compose(
    new Vector3().fromArray(poses, k), new Quaternion().fromArray(poses, k + 3), new Vector3(1, 1, 1));
}

/** The nearest place on what an end slides on, which moves with its body from where it is at rest. */
export function slid(end, other, poses, rests) {
  const moved = frameOf(end.body, poses);
  if (end.body >= 0) moved.multiply(rests[end.body].clone().invert());
  return end.slide(other.clone().applyMatrix4(moved.clone().invert())).applyMatrix4(moved);
}
