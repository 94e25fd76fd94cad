// Mass, centre and inertia of a body as the scene file defines them (docs/scene.md). The engine computes
// the same, but its files of results do not say what it found.
import { Quaternion, Vector3 } from 'three';
import { ConvexHull } from 'three/addons/math/ConvexHull.js';

/** Each type: volume, and the inertia of unit density about its own centre, diagonal. */
const solids = {
  sphere: ({ radius }) => ellipsoid(radius, radius, radius),
  ellipsoid: ({ radii }) => ellipsoid(...radii),
  box: ({ size: [x, y, z] }) => {
    const volume = x * y * z;
    return { volume, inertia: [y * y + z * z, x * x + z * z, x * x + y * y].map((s) => (volume * s) / 12) };
  },
  cylinder: ({ radius, length }) => cylinder(radius, length),
  capsule: ({ radius: r, length: l }) => {
    const tube = cylinder(r, l);
    const ball = (4 / 3) * Math.PI * r ** 3;
    // Two half balls: their centres lie 3/8 r beyond the ends of the tube.
    const across = ball * ((2 / 5) * r * r + (l * l) / 4 + (3 / 8) * l * r);
    const along = (2 / 5) * ball * r * r;
    const [x, y, z] = tube.inertia;
    return { volume: tube.volume + ball, inertia: [x + across, y + along, z + across] };
  },
};

function ellipsoid(a, b, c) {
  const volume = (4 / 3) * Math.PI * a * b * c;
  return { volume, inertia: [b * b + c * c, a * a + c * c, a * a + b * b].map((s) => (volume * s) / 5) };
}

function cylinder(r, l) {
  const volume = Math.PI * r * r * l;
  const across = volume * (r * r / 4 + (l * l) / 12);
  return { volume, inertia: [across, (volume * r * r) / 2, across] };
}

/** Triangles of a mesh as triples of points. */
function triangles({ vertices, faces }) {
  const points = vertices.map((v) => new Vector3(...v));
  if (faces) return faces.map((face) => face.map((i) => points[i]));
  return new ConvexHull().setFromPoints(points).faces.map((face) => {
    const { edge } = face;
    return [edge.head().point, edge.next.head().point, edge.next.next.head().point];
  });
}

const zero = () => [[0, 0, 0], [0, 0, 0], [0, 0, 0]];

/**
 * Volume, first moment and second moment ∫ x xᵀ of unit density in the body's frame. Second moments
 * add up without any parallel-axis theorem, which is why they are used instead of inertias.
 */
function moments(shape) {
  const place = new Vector3(...(shape.position ?? [0, 0, 0]));
  const turn = new Quaternion(...(shape.orientation ?? [0, 0, 0, 1])).normalize();
  const second = zero();
  let volume = 0;
  let first = new Vector3();
  const add = (vector, weight) => {
    const v = vector.toArray();
    for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) second[i][j] += weight * v[i] * v[j];
  };
  if (shape.type === 'mesh') {
    for (const corners of triangles(shape)) {
      const [a, b, c] = corners.map((p) => p.clone().applyQuaternion(turn).add(place));
      const v = a.dot(b.clone().cross(c)) / 6; // the tetrahedron to the origin, signed
      const sum = a.clone().add(b).add(c);
      volume += v;
      first.addScaledVector(sum, v / 4);
      for (const p of [a, b, c, sum]) add(p, v / 20);
    }
  } else {
    const solid = solids[shape.type](shape);
    const trace = (solid.inertia[0] + solid.inertia[1] + solid.inertia[2]) / 2;
    volume = solid.volume;
    first = place.clone().multiplyScalar(volume);
    for (let i = 0; i < 3; i++) {
      const axis = new Vector3().setComponent(i, 1).applyQuaternion(turn);
      add(axis, trace - solid.inertia[i]);
    }
    add(place, volume);
  }
  return { volume, first, second };
}

/** @returns {{mass: number, center: number[], inertia: number[][]}} about the centre, in the body's axes */
export function massProperties(body) {
  if (body.inertia && body.mass) {
    const [a, b, c] = body.inertia;
    const rows = Array.isArray(a) ? body.inertia : [[a, 0, 0], [0, b, 0], [0, 0, c]];
    return { mass: body.mass, center: body.center ?? [0, 0, 0], inertia: rows };
  }
  let mass = 0;
  const first = new Vector3();
  const second = zero();
  for (const shape of body.shapes ?? []) {
    const part = moments(shape);
    const density = shape.mass !== undefined ? shape.mass / part.volume : (shape.density ?? 1000);
    mass += density * part.volume;
    first.addScaledVector(part.first, density);
    for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) second[i][j] += density * part.second[i][j];
  }
  const center = first.divideScalar(mass).toArray();
  const scale = (body.mass ?? mass) / mass;
  const about = second.map((row, i) => row.map((s, j) => scale * (s - mass * center[i] * center[j])));
  const trace = about[0][0] + about[1][1] + about[2][2];
  const inertia = about.map((row, i) => row.map((s, j) => (i === j ? trace - s : -s)));
  return { mass: scale * mass, center, inertia };
}
