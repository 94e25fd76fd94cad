// Springs of the scene, drawn from end to end: a coil, or a straight line for one that only pulls (a rope),
// which is dashed while it is slack. Springs that only turn bodies have no line and are not drawn.
import { BufferGeometry, Color, Group, Line, LineBasicMaterial, LineDashedMaterial, Vector3 } from 'three';
import { endReader, frameOf, slid } from './ends.js';
import { matrixOf } from './shapes.js';

const up = new Vector3(0, 1, 0);
const turns = 10;
const perTurn = 16;
const straightPart = 0.12; // of a coil, at either end

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

/** Ends that stand still in the world: a picture of the motion must show them. @param {import('./data.js').Scene} scene */
export function fixedEnds({ springs = [] }) {
  return springs.flatMap(({ first, second }) => [first, second])
    .filter(({ body = 'world', point, mesh }) => body === 'world' && point && mesh === undefined)
    .map(({ point }) => new Vector3(...point));
}

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
    const endOf = endReader(scene, this.#rests);
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
    return end.mesh === undefined ? end.place.clone().applyMatrix4(frameOf(end.body, poses)) : this.#vertex(time, end);
  }

  #endsOf({ first, second }, time, poses) {
    let from = this.#placeOf(first, time, poses);
    let to = this.#placeOf(second, time, poses);
    if (first.slide) from = slid(first, to, poses, this.#rests);
    if (second.slide) to = slid(second, from, poses, this.#rests);
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
