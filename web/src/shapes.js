// Geometry of obstacles and bodies: their shapes, and the ellipsoid that has the same mass and inertia.
import {
  BoxGeometry, BufferGeometry, CapsuleGeometry, CylinderGeometry, Float32BufferAttribute, Matrix4,
  Quaternion, SphereGeometry, Vector3,
} from 'three';
import { ConvexGeometry } from 'three/addons/geometries/ConvexGeometry.js';
import { RoundedBoxGeometry } from 'three/addons/geometries/RoundedBoxGeometry.js';

/** @typedef {import('./data.js').Shape} Shape */
/** @typedef {import('./data.js').Body} Body */

/** Corners cost most of the time where no graphics card helps. @param {number} around of a circle */
const rounded = (around) => ({
  sphere: ({ radius }) => new SphereGeometry(radius, around, Math.round(0.6 * around)),
  ellipsoid: ({ radii }) => new SphereGeometry(1, around, Math.round(0.6 * around)).scale(...radii),
  // A slight bevel catches the light; it stays inside the box.
  box: ({ size }) => new RoundedBoxGeometry(...size, around < 30 ? 2 : 3, 0.07 * Math.min(...size)),
  capsule: ({ radius, length }) => new CapsuleGeometry(radius, length, Math.round(around / 4), around),
  cylinder: ({ radius, length }) => new CylinderGeometry(radius, radius, length, around),
});

const builders = {
  ...rounded(40),
  mesh: ({ vertices, faces }) =>
    (faces ? trianglesGeometry(vertices, faces) : new ConvexGeometry(vertices.map((v) => new Vector3(...v)))),
};

function trianglesGeometry(vertices, faces) {
  const geometry = new BufferGeometry();
  // Corners are not shared between faces, so that each face keeps its own flat shading.
  const corners = faces.flatMap((face) => face.flatMap((i) => vertices[i]));
  geometry.setAttribute('position', new Float32BufferAttribute(corners, 3));
  geometry.computeVertexNormals();
  return geometry;
}

/** Heights over a grid; the squares are cut as the engine cuts them. */
function heightsGeometry({ columns, rows, spacing, heights }) {
  const vertices = heights.map((height, n) => [(n % columns) * spacing, height, Math.floor(n / columns) * spacing]);
  const faces = [];
  for (let k = 0; k + 1 < rows; k++) {
    for (let i = 0; i + 1 < columns; i++) {
      const n = k * columns + i;
      faces.push([n, n + columns, n + 1], [n + 1, n + columns, n + columns + 1]);
    }
  }
  return trianglesGeometry(vertices, faces);
}

/** Obstacles have just the edges that bodies meet. */
const obstacleBuilders = {
  ...builders,
  box: ({ size }) => new BoxGeometry(...size),
  height_field: heightsGeometry,
  triangles: ({ vertices, faces }) => trianglesGeometry(vertices, faces),
};

export function matrixOf({ position = [0, 0, 0], orientation = [0, 0, 0, 1] }) {
  const turn = new Quaternion(...orientation).normalize();
  return new Matrix4().compose(new Vector3(...position), turn, new Vector3(1, 1, 1));
}

/** Of these a picture holds many, and each is small: half the corners look the same. */
const smallBuilders = { ...builders, ...rounded(20) };

/** In the body's frame. @param {Shape} shape @param {boolean} [small] in the picture @returns {BufferGeometry} */
export function shapeGeometry(shape, small = false) {
  return build(small ? smallBuilders : builders, shape);
}

/** In the world. @param {import('./data.js').Obstacle} obstacle any but a plane */
export function obstacleGeometry(obstacle) {
  return build(obstacleBuilders, obstacle);
}

function build(from, shape) {
  const builder = from[shape.type];
  if (!builder) throw new Error(`no shape is called '${shape.type}'`);
  return builder(shape).applyMatrix4(matrixOf(shape));
}

/** Fewer corners, for shapes that are drawn by the thousand. */
const coarseBuilders = {
  ...builders,
  sphere: ({ radius }) => new SphereGeometry(radius, 14, 10),
  ellipsoid: ({ radii }) => new SphereGeometry(1, 14, 10).scale(...radii),
  box: ({ size }) => new BoxGeometry(...size),
  capsule: ({ radius, length }) => new CapsuleGeometry(radius, length, 4, 12),
  cylinder: ({ radius, length }) => new CylinderGeometry(radius, radius, length, 14),
};

/** All shapes of a body in its frame; of a body without any its inertia ellipsoid. @param {Body} body @returns {BufferGeometry[]} */
export function coarseGeometry(body) {
  if (body.shapes?.length) return body.shapes.map((shape) => build(coarseBuilders, shape));
  const ellipsoid = limbEllipsoid(body);
  return ellipsoid ? [new SphereGeometry(1, 14, 10).scale(...ellipsoid.radii).applyMatrix4(ellipsoid.matrix)] : [];
}

/** How thick a shape is at its thinnest, as a radius. */
function thinness({ type, radius, length, size, radii, vertices }) {
  if (type === 'box') return Math.min(...size) / 2;
  if (type === 'ellipsoid') return Math.min(...radii);
  if (type === 'cylinder') return Math.min(radius, length / 2);
  if (type === 'mesh') {
    const extents = [0, 1, 2].map((i) => {
      const [low, high] = vertices.reduce(([a, b], v) => [Math.min(a, v[i]), Math.max(b, v[i])], [Infinity, -Infinity]);
      return high - low;
    });
    return Math.min(...extents) / 2;
  }
  return radius;
}

/** How far a shape reaches from its origin, about. @param {import('./data.js').Shape} shape */
function reachOf({ size, radii, radius = 0, length = 0, vertices }) {
  if (size) return Math.max(...size) / 2;
  if (radii) return Math.max(...radii);
  if (vertices) return Math.max(...vertices.map((v) => Math.hypot(...v)));
  return radius + length / 2;
}

/**
 * How thick a body is where a joint is, the measure for what is drawn there: of several shapes the one that the place
 * lies deepest in counts. @param {Body} body @param {import('./data.js').Vec3} [place] in the world, in the rest pose
 */
export function bodyThickness(body, place) {
  const { shapes = [] } = body;
  if (shapes.length > 1 && place) {
    const here = new Vector3(...place).applyMatrix4(matrixOf(body).invert());
    const depth = (shape) => here.distanceTo(new Vector3(...(shape.position ?? [0, 0, 0]))) / reachOf(shape);
    return thinness(shapes.reduce((best, shape) => (depth(shape) < depth(best) ? shape : best)));
  }
  if (shapes.length) return Math.max(...shapes.map(thinness));
  const ellipsoid = limbEllipsoid(body);
  return ellipsoid ? Math.min(...ellipsoid.radii) : 0.05;
}

/**
 * The solid ellipsoid of even density with the body's mass and inertia: with principal moments
 * A, B, C its half axes are a² = 5 (B + C - A) / 2m, and so on.
 * @param {Body} body @returns {{radii: number[], matrix: Matrix4} | undefined} in the body's frame
 */
export function inertiaEllipsoid({ mass, inertia, center = [0, 0, 0] }) {
  if (!mass || !inertia) return undefined;
  const { values, vectors } = principalAxes(inertia);
  const trace = values[0] + values[1] + values[2];
  const radii = values.map((value) => Math.sqrt(Math.max((5 * (trace - 2 * value)) / (2 * mass), 1e-12)));
  const axes = vectors.map((v) => new Vector3(...v));
  if (axes[0].clone().cross(axes[1]).dot(axes[2]) < 0) axes[2].negate();
  return { radii, matrix: new Matrix4().makeBasis(...axes).setPosition(...center) };
}

/**
 * The same for a body that has nothing else to show. Files of robots have inertias that are not those of their limbs: it
 * is no larger than a limb would be whose joints are as far from its centre as `reach`.
 * @param {Body} body @returns {{radii: number[], matrix: Matrix4} | undefined}
 */
export function limbEllipsoid(body) {
  const ellipsoid = inertiaEllipsoid(body);
  if (!ellipsoid) return undefined;
  const ofARod = 1.3; // its ellipsoid's half axis over half its length
  const most = 1.2 * ofARod * (body.reach ?? Infinity);
  const scale = Math.min(1, most / Math.max(...ellipsoid.radii));
  return { ...ellipsoid, radii: ellipsoid.radii.map((radius) => scale * radius) };
}

/** Jacobi's method; vectors[i] belongs to values[i]. @param {number[][]} matrix symmetric, 3 by 3 */
export function principalAxes(matrix) {
  const a = matrix.map((row) => [...row]);
  const v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < 12; sweep++) {
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      if (Math.abs(a[p][q]) < 1e-15 * Math.abs(a[p][p] + a[q][q])) continue;
      const angle = 0.5 * Math.atan2(2 * a[p][q], a[q][q] - a[p][p]);
      const c = Math.cos(angle);
      const s = Math.sin(angle);
      for (const rows of [a, v]) {
        for (let k = 0; k < 3; k++) {
          // v holds its vectors as rows, a is turned from both sides.
          const [x, y] = [rows[p][k], rows[q][k]];
          rows[p][k] = c * x - s * y;
          rows[q][k] = s * x + c * y;
        }
      }
      for (let k = 0; k < 3; k++) {
        const [x, y] = [a[k][p], a[k][q]];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
      }
    }
  }
  return { values: [a[0][0], a[1][1], a[2][2]], vectors: v };
}
