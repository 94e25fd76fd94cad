// What helps to read a motion: the paths of targets, and the trail of the chosen body.
import {
  BufferGeometry, Float32BufferAttribute, Group, Line, LineBasicMaterial, LineDashedMaterial, Mesh,
  MeshBasicMaterial, SphereGeometry, Vector3,
} from 'three';
import { matrixOf } from './shapes.js';

export class Guides {
  root = new Group();
  #targets = new Group();
  #trail;
  #paths = [];

  /** @param {import('./data.js').Scene} scene @param {import('./motion.js').RecordedMotion} motion */
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
  }

  /** The way of a body's frame over the whole motion; -1 none. */
  trail(index) {
    this.#trail.visible = index >= 0;
    if (index < 0) return;
    const points = [];
    const { poses, bodies, times } = this.motion;
    const center = new Vector3(...(this.scene.bodies[index].center ?? [0, 0, 0]));
    const at = new Group();
    for (let i = 0; i < times.length; i++) {
      const k = 7 * (i * bodies + index);
      at.quaternion.fromArray(poses, k + 3);
      points.push(...center.clone().applyQuaternion(at.quaternion).add(at.position.fromArray(poses, k)).toArray());
    }
    this.#trail.geometry.dispose();
    this.#trail.geometry = new BufferGeometry().setAttribute('position', new Float32BufferAttribute(points, 3));
  }
}
