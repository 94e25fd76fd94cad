// Wishes of the scene that speak of a place or a direction. A place wished for is a dot, with the wish's name beside
// it; a path is a curve. While the wish holds, or its moment is near, a line leads to it from the point of the body
// that should be there. Green: met there, now or when it was wished. A direction that a body should have is a line from
// its point.
import {
  BufferGeometry, CanvasTexture, Float32BufferAttribute, Group, Line, LineBasicMaterial, LineDashedMaterial, Mesh,
  MeshBasicMaterial, SphereGeometry, Sprite, SpriteMaterial, Vector3,
} from 'three';
import { endReader, frameOf, pathPoints, slid } from './ends.js';
import { matrixOf } from './shapes.js';

const placed = new Set(['point', 'surface', 'curve', 'distance', 'look_at', 'pin']);
const colors = { light: { met: '#1f8a4c', missed: '#b02a8f' }, dark: { met: '#63d48f', missed: '#f08be0' } };
/** A moment is seen coming and going: this part of the motion, or at least so many seconds, before and after. */
const nearPart = 0.08;
const nearLeast = 0.15;
const labelPixels = 20; // with the air around it

/** What a wish refers to, as the end of a spring. */
function endOfGoal({ to, path, plane, sphere, cylinder }) {
  const other = Array.isArray(to) ? { point: to } : { ...(typeof to === 'string' ? { body: to } : to) };
  return { ...other, path, plane, sphere, cylinder };
}

/** Places in the world that wishes are about: a picture must show them. @param {import('./data.js').Scene} scene */
export function wishedPlaces({ wishes = [] }) {
  return wishes.flatMap(({ type, to, path }) => {
    if (!placed.has(type)) return [];
    if (path && !to) return path.points.map((point) => new Vector3(...point));
    return Array.isArray(to) ? [new Vector3(...to)] : [];
  });
}

/** Text that faces the eye, is seen through bodies, and is as high on the screen wherever it is. */
class Label {
  #canvas = document.createElement('canvas');
  #texture = new CanvasTexture(this.#canvas);

  constructor(text) {
    this.text = text;
    const context = this.#canvas.getContext('2d');
    context.font = this.font;
    const width = Math.ceil(context.measureText(text).width) + 16;
    Object.assign(this.#canvas, { width, height: 56 });
    this.sprite = new Sprite(new SpriteMaterial({ map: this.#texture, depthTest: false, transparent: true, sizeAttenuation: false }));
    this.aspect = width / 56;
    this.sprite.renderOrder = 10;
  }

  font = '600 36px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';

  /** With a seam of the background, to be read before anything. */
  paint(color, back) {
    const context = this.#canvas.getContext('2d');
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    Object.assign(context, { font: this.font, textBaseline: 'middle', lineJoin: 'round', lineWidth: 8 });
    context.strokeStyle = back;
    context.strokeText(this.text, 8, 29);
    context.fillStyle = color;
    context.fillText(this.text, 8, 29);
    this.#texture.needsUpdate = true;
  }
}

export class Wishes {
  root = new Group();
  #wishes = [];
  #rests;
  #ball;
  #poses;

  /** @param {import('./data.js').Scene} scene @param {import('./motion.js').Motion} motion @param {number} size of the scene */
  constructor(scene, motion, size) {
    this.root.name = 'wishes';
    this.size = size;
    this.#rests = scene.bodies.map(matrixOf);
    this.#poses = new Float32Array(7 * scene.bodies.length);
    this.materials = {};
    for (const state of ['met', 'missed']) {
      this.materials[state] = {
        line: new LineDashedMaterial({ dashSize: size / 120, gapSize: size / 160 }),
        curve: new LineBasicMaterial({ transparent: true, opacity: 0.6 }),
        near: new MeshBasicMaterial({ transparent: true, opacity: 0.9 }),
        far: new MeshBasicMaterial({ transparent: true, opacity: 0.4 }),
      };
    }
    this.#ball = new SphereGeometry(size / 130, 20, 14);
    const endOf = endReader(scene, this.#rests);
    for (const wish of scene.wishes ?? []) this.#add(wish, scene, endOf);
    this.#spreadLabels();
    this.setMotion(motion);
  }

  /** What is seen of them now: whether there is a line, and whether it is shown as met. */
  get seen() {
    return this.#wishes.map(({ line, dot }) => ({
      name: line.name, line: line.visible, met: dot.material === this.materials.met.near || dot.material === this.materials.met.far,
    }));
  }

  get hasWishes() {
    return this.#wishes.length > 0;
  }

  #goalOf(wish, of, scene, endOf) {
    const { type } = wish;
    const along = (direction) => ({ direction: new Vector3(...direction).setLength(this.size / 8) });
    if (type === 'upright') return along(wish.direction ?? scene.gravity?.map((g) => -g) ?? [0, 1, 0]);
    if (type === 'velocity') return wish.velocity?.some((x) => x !== 0) && along(wish.velocity);
    if (!placed.has(type)) return undefined;
    const end = endOfGoal(wish);
    // A body that is pinned without a place stays where it is at rest.
    if (type === 'pin' && !wish.to) end.point = of.place.clone().applyMatrix4(this.#rests[of.body]).toArray();
    return { end: endOf(end) };
  }

  #add(wish, scene, endOf) {
    const { body, point, path } = wish;
    const of = endOf({ body, point });
    const goal = of.body >= 0 && this.#goalOf(wish, of, scene, endOf);
    if (!goal) return;
    const line = new Line(new BufferGeometry().setAttribute('position', new Float32BufferAttribute(6, 3)), this.materials.missed.line);
    line.frustumCulled = false;
    line.name = wish.name ?? wish.type;
    const dot = new Mesh(this.#ball, this.materials.missed.near);
    const one = { wish, of, goal, line, dot };
    this.root.add(line, dot);
    if (path) {
      one.curve = new Line(new BufferGeometry().setFromPoints(pathPoints(path)), this.materials.missed.curve);
      one.curve.matrixAutoUpdate = false;
      one.curve.frustumCulled = false;
      this.root.add(one.curve);
    }
    if (wish.name && goal.end) {
      one.label = new Label(wish.name);
      this.root.add(one.label.sprite);
    }
    this.#wishes.push(one);
  }

  /** Names of places close to each other stand below each other, in the order of the places' heights. */
  #spreadLabels() {
    const named = this.#wishes.filter(({ label }) => label);
    const places = named.map(({ goal }) => goal.end.place);
    const near = (a, b) => named[a].goal.end.body === named[b].goal.end.body && places[a].distanceTo(places[b]) < this.size / 12;
    const left = new Set(named.keys());
    for (const first of named.keys()) {
      if (!left.has(first)) continue;
      const group = [...left].filter((i) => near(first, i)).sort((a, b) => places[b].y - places[a].y || a - b);
      group.forEach((i, k) => {
        left.delete(i);
        // In heights of the label: to the right of the dot, and as far up or down as its place in the list says.
        named[i].label.sprite.center.set(-0.4 / named[i].label.aspect, 0.5 + k - (group.length - 1) / 2);
      });
    }
  }

  /** Names are as large in every picture. @param {number} height of it, in pixels @param {number} slope of the edge of what it shows */
  setPixels(height, slope) {
    const size = (2 * slope * labelPixels) / height;
    for (const { label } of this.#wishes) label?.sprite.scale.set(size * label.aspect, size, 1);
  }

  /** Whether a wish whose time is over was met is known of a motion that was recorded. */
  setMotion(motion) {
    this.motion = motion;
    for (const one of this.#wishes) one.verdict = undefined;
  }

  setTheme(name) {
    for (const [state, all] of Object.entries(this.materials)) {
      for (const material of Object.values(all)) material.color.set(colors[name][state]);
    }
    for (const { label } of this.#wishes) label?.paint(name === 'dark' ? '#e6eaee' : '#1c2126', name === 'dark' ? '#16191d' : '#eef1f4');
  }

  /** Whether the wish is fulfilled, as far as the eye can tell. */
  #isMet({ wish }, from, to) {
    const way = from.distanceTo(to);
    if (['upright', 'look_at', 'velocity'].includes(wish.type)) return false;
    const length = wish.type === 'distance' || wish.type === 'surface' ? (wish.length ?? (wish.type === 'surface' ? 0 : way)) : 0;
    if (wish.side === 'at_least') return way > length - this.size / 500;
    if (wish.side === 'at_most') return way < length + this.size / 500;
    return Math.abs(way - length) < this.size / 500;
  }

  /** Both ends of the line, in the world. */
  #ends({ of, goal }, poses) {
    const from = of.place.clone().applyMatrix4(frameOf(of.body, poses));
    if (goal.direction) return [from, from.clone().add(goal.direction)];
    if (goal.end.slide) return [from, slid(goal.end, from, poses, this.#rests)];
    return [from, goal.end.place.clone().applyMatrix4(frameOf(goal.end.body, poses))];
  }

  #metAtItsEnd(one) {
    if (one.verdict === undefined) {
      const at = Math.max(one.wish.until, one.wish.from ?? -Infinity);
      // A recording may lack its last moment by a rounding.
      one.verdict = !this.motion.live && at <= this.motion.end + 1e-6;
      if (one.verdict) {
        this.motion.sample(at, this.#poses);
        one.verdict = this.#isMet(one, ...this.#ends(one, this.#poses));
      }
    }
    return one.verdict;
  }

  show(time, poses) {
    const [start, end] = this.motion.span;
    const near = Math.max(nearLeast, nearPart * (end - start));
    for (const one of this.#wishes) {
      const { wish, goal, line, dot, curve, label } = one;
      const { from: begin = -Infinity, until = Infinity } = wish;
      const isNear = time >= begin - near && time <= until + near;
      const [from, to] = this.#ends(one, poses);
      const { position } = line.geometry.attributes;
      from.toArray(position.array, 0);
      to.toArray(position.array, 3);
      position.needsUpdate = true;
      line.computeLineDistances();
      dot.position.copy(to);
      const isOver = time > until + 1e-6;
      const material = this.materials[(isOver ? this.#metAtItsEnd(one) : this.#isMet(one, from, to)) ? 'met' : 'missed'];
      line.material = material.line;
      line.visible = isNear;
      dot.material = isNear ? material.near : material.far;
      // What slides or turns has no place of its own to be seen from afar.
      dot.visible = isNear || (goal.end !== undefined && !goal.end.slide);
      if (curve) {
        curve.material = material.curve;
        const moved = frameOf(goal.end.body, poses);
        if (goal.end.body >= 0) moved.multiply(this.#rests[goal.end.body].clone().invert());
        curve.matrix.copy(moved);
      }
      if (!label) continue;
      label.sprite.visible = dot.visible;
      label.sprite.material.opacity = isNear ? 1 : 0.55;
      label.sprite.position.copy(to);
    }
  }
}
