// What helps to read a motion: the paths of targets, and the trail of the chosen body.
import {
  BufferGeometry, Float32BufferAttribute, Group, Line, LineBasicMaterial, LineDashedMaterial, Mesh,
  MeshBasicMaterial, Quaternion, SphereGeometry, Vector3,
} from 'three';
import { matrixOf } from './shapes.js';

export class Guides {
  root = new Group();
  #targets = new Group();
  #trail;
  #traced = -1;
  #paths = [];

  /** @param {import('./data.js').Scene} scene @param {import('./motion.js').Motion} motion */
  constructor(scene, motion, size) {
    this.scene = scene;
    this.motion = motion;
    this.color = new LineDashedMaterial({ dashSize: size / 120, gapSize: size / 160 });
    this.dot = new MeshBasicMaterial({ transparent: true, opacity: 0.85 });
    this.trailColor = new LineBasicMaterial({ color: 0x2f6fff });
    this.#trail = new Line(new BufferGeometry(), this.trailColor);
    this.#trail.visible = false;
    this.#trail.frustumCulled = false;
    this.root.add(this.#targets, this.#trail);
    for (const target of scene.targets) this.#addTarget(target, size);
  }

  #addTarget(target, size) {
    const body = this.scene.bodies.find(({ name }) => name === target.body);
    if (!body) return;
    // A key without a place means the point's own place in the rest pose.
    const rest = target.point
      ? new Vector3(...target.point)
      : new Vector3(...(body.center ?? [0, 0, 0])).applyMatrix4(matrixOf(body));
    const keys = target.path.map(({ time, position }) => ({
      time, place: position ? new Vector3(...position) : rest.clone(),
    }));
    const line = new Line(new BufferGeometry().setFromPoints(keys.map((key) => key.place)), this.color);
    line.computeLineDistances();
    const dot = new Mesh(new SphereGeometry(size / 150, 20, 14), this.dot);
    this.#targets.add(line, dot);
    this.#paths.push({ keys, dot });
  }

  get hasTargets() {
    return this.#paths.length > 0;
  }

  setTargets(on) {
    this.#targets.visible = on;
  }

  setTheme(name) {
    this.color.color.set(name === 'dark' ? 0xff8f6b : 0xc2401c);
    this.dot.color.copy(this.color.color);
    this.trailColor.color.set(name === 'dark' ? 0x7fb0ff : 0x2f6fff);
  }

  show(time) {
    for (const { keys, dot } of this.#paths) {
      let next = keys.findIndex((key) => key.time > time);
      if (next < 0) next = keys.length;
      const [a, b] = [keys[Math.max(next - 1, 0)], keys[Math.min(next, keys.length - 1)]];
      const part = b.time > a.time ? Math.max((time - a.time) / (b.time - a.time), 0) : 0;
      dot.position.lerpVectors(a.place, b.place, part);
    }
    if (this.motion.live && this.#traced >= 0) this.#drawTrail();
  }

  setMotion(motion) {
    this.motion = motion;
    this.trail(this.#traced);
  }

  /** The way of a body's centre over the whole motion; -1 none. */
  trail(index) {
    this.#traced = index;
    this.#trail.visible = index >= 0;
    if (index >= 0) this.#drawTrail();
  }

  #drawTrail() {
    const { poses, bodies, times } = this.motion;
    const center = new Vector3(...(this.scene.bodies[this.#traced].center ?? [0, 0, 0]));
    // A motion that grows leaves room to grow into, so that not every picture needs a new buffer.
    let { position } = this.#trail.geometry.attributes;
    if (!position || position.count < times.length) {
      const count = this.motion.live ? 2 * times.length : times.length;
      position = new Float32BufferAttribute(3 * count, 3);
      this.#trail.geometry.dispose();
      this.#trail.geometry = new BufferGeometry().setAttribute('position', position);
    }
    const turn = new Quaternion();
    const place = new Vector3();
    const shift = new Vector3();
    for (let i = 0; i < times.length; i++) {
      const k = 7 * (i * bodies + this.#traced);
      place.copy(center).applyQuaternion(turn.fromArray(poses, k + 3)).add(shift.fromArray(poses, k));
      place.toArray(position.array, 3 * i);
    }
    position.needsUpdate = true;
    this.#trail.geometry.setDrawRange(0, times.length);
  }
}
