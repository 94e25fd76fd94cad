// Wishes of the scene that speak of a place: a dot where it is, and a line to the point of the body that should
// be there; green where they meet. A direction that a body should have is a line from its centre.
import {
  BufferGeometry, Float32BufferAttribute, Group, Line, LineDashedMaterial, Mesh, MeshBasicMaterial, SphereGeometry, Vector3,
} from 'three';
import { endReader, frameOf, slid } from './ends.js';
import { matrixOf } from './shapes.js';

const placed = new Set(['point', 'surface', 'curve', 'distance', 'look_at', 'pin']);
const colors = { light: { met: 0x1f8a4c, missed: 0xb02a8f }, dark: { met: 0x63d48f, missed: 0xf08be0 } };

export class Wishes {
  root = new Group();
  #wishes = [];
  #rests;

  /** @param {import('./data.js').Scene} scene @param {number} size of the scene */
  constructor(scene, size) {
    this.root.name = 'wishes';
    this.size = size;
    this.#rests = scene.bodies.map(matrixOf);
    this.materials = {};
    for (const state of ['met', 'missed']) {
      this.materials[state] = {
        line: new LineDashedMaterial({ dashSize: size / 120, gapSize: size / 160 }),
        dot: new MeshBasicMaterial({ transparent: true, opacity: 0.85 }),
      };
    }
    this.#ball = new SphereGeometry(size / 150, 20, 14);
    const endOf = endReader(scene, this.#rests);
    for (const wish of scene.wishes ?? []) this.#add(wish, scene, endOf);
  }

  #ball;

  #add(wish, scene, endOf) {
    const { type, body, point, path, plane, sphere, cylinder } = wish;
    const of = endOf({ body, point });
    if (of.body < 0) return;
    let goal;
    if (type === 'upright') {
      const [x, y, z] = wish.direction ?? scene.gravity.map((g) => -g);
      goal = { direction: new Vector3(x, y, z).setLength(this.size / 8) };
    } else if (placed.has(type)) {
      const other = Array.isArray(wish.to) ? { point: wish.to } : { ...(typeof wish.to === 'string' ? { body: wish.to } : wish.to) };
      // A body that is pinned without a place stays where it is at rest.
      if (type === 'pin' && !wish.to) other.point = of.place.clone().applyMatrix4(this.#rests[of.body]).toArray();
      goal = { end: endOf({ ...other, path, plane, sphere, cylinder }) };
    } else {
      return;
    }
    const line = new Line(new BufferGeometry().setAttribute('position', new Float32BufferAttribute(6, 3)), this.materials.missed.line);
    line.frustumCulled = false;
    line.name = wish.name ?? type;
    const dot = new Mesh(this.#ball, this.materials.missed.dot);
    this.root.add(line, dot);
    this.#wishes.push({ wish, of, goal, line, dot });
  }

  setTheme(name) {
    for (const [state, { line, dot }] of Object.entries(this.materials)) {
      line.color.set(colors[name][state]);
      dot.color.set(colors[name][state]);
    }
  }

  /** Whether the wish is fulfilled, as far as the eye can tell. */
  #isMet({ wish }, from, to) {
    const way = from.distanceTo(to);
    if (wish.type === 'upright' || wish.type === 'look_at') return false;
    const length = wish.type === 'distance' || wish.type === 'surface' ? (wish.length ?? (wish.type === 'surface' ? 0 : way)) : 0;
    return Math.abs(way - length) < this.size / 500;
  }

  show(time, poses) {
    for (const one of this.#wishes) {
      const { wish, of, goal, line, dot } = one;
      const isOn = time >= (wish.from ?? -Infinity) && time <= (wish.until ?? Infinity);
      line.visible = dot.visible = isOn;
      if (!isOn) continue;
      const from = of.place.clone().applyMatrix4(frameOf(of.body, poses));
      let to;
      if (goal.direction) to = from.clone().add(goal.direction);
      else if (goal.end.slide) to = slid(goal.end, from, poses, this.#rests);
      else to = goal.end.place.clone().applyMatrix4(frameOf(goal.end.body, poses));
      const { position } = line.geometry.attributes;
      from.toArray(position.array, 0);
      to.toArray(position.array, 3);
      position.needsUpdate = true;
      line.computeLineDistances();
      dot.position.copy(to);
      const material = this.materials[this.#isMet(one, from, to) ? 'met' : 'missed'];
      line.material = material.line;
      dot.material = material.dot;
    }
  }
}
