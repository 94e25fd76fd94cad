// Springs of the scene, drawn from end to end: a coil, or a straight line for one that only pulls (a rope),
// which is dashed while it is slack. Springs that only turn bodies have no line and are not drawn.
import {
  BufferGeometry, Color, Group, Line, LineBasicMaterial, LineDashedMaterial, Matrix4, Quaternion, Vector3,
} from 'three';
import { matrixOf } from './shapes.js';

const up = new Vector3(0, 1, 0);
const turns = 10;
const perTurn = 16;
const straightPart = 0.12; // of a coil, at either end
const perPoint = 24; // pieces of a smooth path between two of its points

/** A coil about y from 0 to 1, of radius 1; straight at its ends. */
function coil() {
  const points = [new Vector3(0, 0, 0)];
  const count = turns * perTurn;
  for (let i = 0; i <= count; i++) {
    const part = i / count;
    const fade = Math.min(1, (4 * Math.min(i, count - i)) / perTurn);
    const angle = 2 * Math.PI * turns * part;
    points.push(new Vector3(fade * Math.cos(angle), straightPart + (1 - 2 * straightPart) * part, fade * Math.sin(angle)));
  }
  return new BufferGeometry().setFromPoints([...points, new Vector3(0, 1, 0)]);
}

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

/** Where on a path or a surface, given in the world at rest, an end that slides is nearest to a point. */
function sliding({ path, plane, sphere, cylinder }) {
  if (path) {
    let points = path.points.map((point) => new Vector3(...point));
    if (path.smooth && points.length > 2) points = smoothed(points, path.closed ?? false);
    else if (path.closed) points.push(points[0]);
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

/** Ends that stand still in the world: a picture of the motion must show them. @param {import('./data.js').Scene} scene */
export function fixedEnds({ springs = [] }) {
  return springs.flatMap(({ first, second }) => [first, second])
    .filter(({ body = 'world', point, mesh }) => body === 'world' && point && mesh === undefined)
    .map(({ point }) => new Vector3(...point));
}

/** What an end holds on to. @typedef {{body: number, place: Vector3, slide?: (p: Vector3) => Vector3, mesh?: string, vertex?: number}} End */

export class Springs {
  root = new Group();
  #springs = [];
  #line = new LineBasicMaterial();
  #slack = new LineDashedMaterial({ dashSize: 0.06, gapSize: 0.05 });
  /** Places of meshes at the time that is shown. @type {Map<number, Float32Array>} */
  #places = new Map();

  /** @param {import('./data.js').Scene} scene @param {import('./motion.js').Motion} motion @param {number} size of the scene */
  constructor(scene, motion, size) {
    this.root.name = 'springs';
    this.motion = motion;
    this.#rests = scene.bodies.map(matrixOf);
    const index = new Map(scene.bodies.map(({ name }, i) => [name, i]));
    /** @returns {End} */
    const endOf = (end) => {
      const { body = 'world', point, mesh, vertex, ...form } = typeof end === 'string' ? { body: end } : end;
      const number = index.get(body) ?? -1;
      const center = number < 0 ? [0, 0, 0] : (scene.bodies[number].center ?? [0, 0, 0]);
      const place = point ? new Vector3(...point) : new Vector3(...center);
      // From the world at rest into the body's frame; its centre is given in that frame.
      if (point && number >= 0) place.applyMatrix4(this.#rests[number].clone().invert());
      return { body: number, place, slide: sliding(form), mesh, vertex };
    };
    const shape = coil();
    const straight = new BufferGeometry().setFromPoints([new Vector3(0, 0, 0), new Vector3(0, 1, 0)]);
    for (const spring of scene.springs ?? []) {
      if (!(spring.stiffness > 0) && !(spring.damping > 0)) continue;
      const isRope = spring.acts === 'pull';
      const line = new Line(isRope ? straight : shape, this.#line);
      line.computeLineDistances();
      line.frustumCulled = false;
      line.name = spring.name ?? '';
      this.root.add(line);
      this.#springs.push({ first: endOf(spring.first), second: endOf(spring.second), line, isRope, length: spring.length });
    }
    this.#radius = size / 90;
    this.#measureAtRest(scene);
  }

  /** Where the scene does not say how long a rope is; one that ends at a mesh is as long as it is first seen. */
  #measureAtRest({ bodies }) {
    const rest = new Float32Array(bodies.flatMap(({ position = [0, 0, 0], orientation = [0, 0, 0, 1] }) => [...position, ...orientation]));
    const open = this.#springs.filter(({ first, second, length }) => length === undefined && first.mesh === undefined && second.mesh === undefined);
    for (const spring of open) {
      const [from, to] = this.#endsOf(spring, 0, rest);
      spring.length = from.distanceTo(to);
    }
  }

  #rests;
  #radius;

  setMotion(motion) {
    this.motion = motion;
  }

  setTheme(name) {
    const color = new Color(name === 'dark' ? 0xd8b35c : 0x7a5a10);
    this.#line.color.copy(color);
    this.#slack.color.copy(color);
  }

  #frame(body, poses) {
    if (body < 0) return new Matrix4();
    const k = 7 * body;
    return new Matrix4().compose(
      new Vector3().fromArray(poses, k), new Quaternion().fromArray(poses, k + 3), new Vector3(1, 1, 1));
  }

  #vertex(time, { mesh, vertex }) {
    const i = this.motion.meshes.findIndex(({ name }) => name === mesh);
    if (i < 0) return new Vector3();
    if (!this.#places.has(i)) {
      const out = new Float32Array(3 * this.motion.meshes[i].vertices);
      this.motion.meshAt(time, i, out);
      this.#places.set(i, out);
    }
    return new Vector3().fromArray(this.#places.get(i), 3 * vertex);
  }

  #placeOf(end, time, poses) {
    return end.mesh === undefined ? end.place.clone().applyMatrix4(this.#frame(end.body, poses)) : this.#vertex(time, end);
  }

  /** The nearest place on what an end slides on, which moves with its body from where it is at rest. */
  #slid(end, other, poses) {
    const moved = this.#frame(end.body, poses);
    if (end.body >= 0) moved.multiply(this.#rests[end.body].clone().invert());
    return end.slide(other.clone().applyMatrix4(moved.clone().invert())).applyMatrix4(moved);
  }

  #endsOf({ first, second }, time, poses) {
    let from = this.#placeOf(first, time, poses);
    let to = this.#placeOf(second, time, poses);
    if (first.slide) from = this.#slid(first, to, poses);
    if (second.slide) to = this.#slid(second, from, poses);
    return [from, to];
  }

  show(time, poses) {
    this.#places.clear();
    for (const spring of this.#springs) {
      const { line, isRope } = spring;
      const [from, to] = this.#endsOf(spring, time, poses);
      const way = to.clone().sub(from);
      const length = way.length();
      spring.length ??= length;
      line.visible = length > 0;
      if (!line.visible) continue;
      line.position.copy(from);
      line.quaternion.setFromUnitVectors(up, way.divideScalar(length));
      const radius = Math.min(this.#radius, 0.25 * length);
      line.scale.set(radius, length, radius);
      if (isRope) line.material = length < spring.length ? this.#slack : this.#line;
    }
  }
}
