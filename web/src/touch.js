// Hands on a running simulation: pulling a body by pointer or by keys, and pushing it.
import {
  CylinderGeometry, ConeGeometry, Group, Mesh, MeshBasicMaterial, RingGeometry, SphereGeometry, Vector3,
} from 'three';
import { format } from './dom.js';
import { say } from './status.js';

const up = new Vector3(0, 1, 0);
const nothingChosen = 'Choose a body first: click on it or take it from the list.';
const flashTime = 600; // ms
/** How far beside a thin body it may be pressed, in pixels. */
const slack = { touch: 14, other: 5 };
const around = [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [0.7, 0.7], [-0.7, 0.7], [0.7, -0.7], [-0.7, -0.7]];

/** What is seen of a hand: a line from the grabbed point to where it is pulled; an arrow and a ring for a push. */
class Hand {
  root = new Group();
  #line;
  #ends;
  #arrow = new Group();
  #ring;
  #flashed = -Infinity; // undefined until the first picture of it, however late that comes

  constructor(stage) {
    this.stage = stage;
    // Seen through bodies, or the hand would be lost behind what it pulls.
    const paint = () => new MeshBasicMaterial({ depthTest: false, transparent: true });
    const pull = paint();
    const push = paint();
    this.materials = { pull, push };
    this.#line = new Mesh(new CylinderGeometry(1, 1, 1, 8), pull);
    this.#ends = [1, 2].map(() => new Mesh(new SphereGeometry(1, 20, 14), pull));
    this.#ring = new Mesh(new RingGeometry(0.92, 1, 64), push);
    this.#arrow.add(
      new Mesh(new CylinderGeometry(0.06, 0.06, 0.75, 16).translate(0, -0.625, 0), push),
      new Mesh(new ConeGeometry(0.16, 0.3, 20).translate(0, -0.15, 0), push));
    this.root.add(this.#line, ...this.#ends, this.#arrow, this.#ring);
    for (const mark of this.root.children) mark.traverse((part) => Object.assign(part, { renderOrder: 10, frustumCulled: false }));
    this.pull();
    this.tick(0);
  }

  /** A mark of the stage; what it shows depends on the hand, not on the time. */
  show() {}

  setTheme(name) {
    this.materials.pull.color.set(name === 'dark' ? 0xffc857 : 0xd1461f);
    this.materials.push.color.copy(this.materials.pull.color);
  }

  /** @param {Vector3} [from] nothing hides the line */
  pull(from, to) {
    const on = from !== undefined;
    for (const mark of [this.#line, ...this.#ends]) mark.visible = on;
    if (!on) return;
    const along = to.clone().sub(from);
    const pixel = this.stage.pixelAt(to);
    this.#line.position.copy(from).addScaledVector(along, 0.5);
    this.#line.scale.set(1.2 * pixel, Math.max(along.length(), 1e-9), 1.2 * pixel);
    this.#line.quaternion.setFromUnitVectors(up, along.lengthSq() > 0 ? along.normalize() : up);
    this.#ends[0].position.copy(from);
    this.#ends[1].position.copy(to);
    this.#ends[0].scale.setScalar(4 * this.stage.pixelAt(from));
    this.#ends[1].scale.setScalar(5.5 * pixel);
  }

  /** @param {Vector3} at @param {Vector3} direction of unit length */
  flash(at, direction) {
    this.#flashed = undefined;
    this.#arrow.position.copy(at);
    this.#arrow.quaternion.setFromUnitVectors(up, direction);
    this.#arrow.scale.setScalar(70 * this.stage.pixelAt(at));
    this.#ring.position.copy(at);
  }

  tick(now) {
    this.#flashed ??= now;
    const part = (now - this.#flashed) / flashTime;
    const on = part >= 0 && part < 1;
    if (on || this.#ring.visible) this.stage.invalidate();
    this.#arrow.visible = this.#ring.visible = on;
    if (!on) return;
    this.materials.push.opacity = 1 - part * part;
    this.#ring.quaternion.copy(this.stage.camera.quaternion);
    this.#ring.scale.setScalar((10 + 40 * Math.sqrt(part)) * this.stage.pixelAt(this.#ring.position));
  }
}

export class Touch {
  /** What a press on a body does: pull or push. */
  tool = 'pull';
  /** The speed that a push would give to the body if nothing held it, in m/s. */
  strength = 3;
  /** @type {import('./simulation.js').Simulation | undefined} while live */
  simulation;
  #pointer;

  /**
   * @param {import('./stage.js').Stage} stage @param {import('./data.js').Scene} scene
   * @param {import('./player.js').Player} player
   */
  constructor(stage, scene, player) {
    Object.assign(this, { stage, scene, player });
    this.hand = stage.marks.add(new Hand(stage));
    // On the way down, before the camera's own controls see it.
    stage.canvas.parentElement.addEventListener('pointerdown', (event) => this.#press(event), { capture: true });
    stage.canvas.addEventListener('pointermove', (event) => this.#move(event));
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) {
      stage.canvas.addEventListener(end, (event) => event.pointerId === this.#pointer?.id && this.release());
    }
  }

  #name(body) {
    return this.scene.bodies[body].name;
  }

  /** Where a pointer is on the canvas, in pixels. */
  #place({ clientX, clientY }) {
    const box = this.stage.canvas.getBoundingClientRect();
    return { x: clientX - box.left, y: clientY - box.top };
  }

  #find({ x, y }, pointerType) {
    const by = slack[pointerType] ?? slack.other;
    for (const [dx, dy] of around) {
      const found = this.stage.pick(x + by * dx, y + by * dy);
      if (found) return found;
    }
    return undefined;
  }

  #press(event) {
    if (!this.simulation || event.target !== this.stage.canvas || !event.isPrimary || event.button !== 0) return;
    // The past cannot be touched.
    if (this.player.time < this.player.motion.end && !this.player.playing) return;
    const place = this.#place(event);
    const found = this.#find(place, event.pointerType);
    if (!found) return;
    if (this.tool === 'push' || event.shiftKey) {
      event.stopPropagation();
      event.preventDefault();
      this.push(found.body, found.point);
      return;
    }
    this.release();
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.#pointer = { id: event.pointerId, depth: this.stage.depthOf(found.point), ...place };
    this.#grab(found.body, found.point);
    this.#tellHold();
  }

  #move(event) {
    const pointer = this.#pointer;
    if (pointer?.id !== event.pointerId) return;
    Object.assign(pointer, this.#place(event));
    this.#pull();
  }

  /** In the plane through the grabbed point parallel to the screen; the camera may move under a pointer at rest. */
  #pull() {
    const { x, y, depth } = this.#pointer;
    this.simulation.moveGrab(this.stage.pointAt(x, y, depth).toArray());
    this.#draw();
  }

  #grab(body, point) {
    const local = this.stage.figure.bodies[body].worldToLocal(point.clone());
    this.simulation.grab(body, local.toArray(), point.toArray());
    this.#draw();
  }

  #tellHold(how = '') {
    const paused = this.player.playing ? '' : ' Paused: it moves when the simulation runs.';
    say(`Holding ${this.#name(this.simulation.held.body)}${how}.${paused}`);
  }

  release() {
    if (!this.simulation?.held) return;
    say();
    this.simulation.release();
    this.#pointer = undefined;
    this.stage.controls.enabled = true;
    this.#draw();
  }

  /** Where the centre of mass of a body is. */
  #center(body) {
    const { bodies } = this.stage.figure;
    bodies[body].updateWorldMatrix(true, false);
    return bodies[body].localToWorld(new Vector3(...(this.scene.bodies[body].center ?? [0, 0, 0])));
  }

  /** Away from the viewer. @param {Vector3} [point] in the world; the centre of mass unless given */
  push(body, point = this.#center(body)) {
    const direction = this.stage.camera.getWorldDirection(new Vector3());
    const size = this.strength * (this.scene.bodies[body].mass ?? 1);
    const local = this.stage.figure.bodies[body].worldToLocal(point.clone());
    this.simulation.push(body, local.toArray(), direction.clone().multiplyScalar(size).toArray());
    this.hand.flash(point, direction);
    say(`Pushed ${this.#name(body)} with ${format(size)} N s.`);
  }

  /** Holds the chosen body where it is, to be moved by keys; or lets go. */
  flip(body) {
    if (this.simulation.held) return this.release();
    if (body < 0) return say(nothingChosen);
    this.#grab(body, this.#center(body));
    this.#tellHold(': arrow keys move it, page up and page down push it away and pull it near, H lets go');
  }

  /** Moves what is held along the screen's axes: right, up, toward the viewer. */
  nudge(...by) {
    const size = 0.04 * this.stage.reach;
    const step = new Vector3(...by).multiplyScalar(size).applyQuaternion(this.stage.camera.quaternion);
    const to = step.add(new Vector3(...this.simulation.held.to));
    this.simulation.moveGrab(to.toArray());
    this.#draw();
    say(`${this.#name(this.simulation.held.body)} is pulled to ${to.toArray().map((x) => x.toFixed(2)).join(', ')} m.`);
  }

  /** Keys of the moment. */
  keys(body) {
    const held = this.simulation?.held && !this.#pointer;
    return {
      h: () => this.flip(body),
      p: () => (body < 0 ? say(nothingChosen) : this.push(body)),
      ...(held && {
        Escape: () => this.release(),
        ArrowLeft: () => this.nudge(-1, 0, 0), ArrowRight: () => this.nudge(1, 0, 0),
        ArrowUp: () => this.nudge(0, 1, 0), ArrowDown: () => this.nudge(0, -1, 0),
        PageUp: () => this.nudge(0, 0, -1), PageDown: () => this.nudge(0, 0, 1),
      }),
    };
  }

  #draw() {
    const held = this.simulation?.held;
    if (!held) this.hand.pull();
    else {
      const body = this.stage.figure.bodies[held.body];
      body.updateWorldMatrix(true, false);
      this.hand.pull(body.localToWorld(new Vector3(...held.point)), new Vector3(...held.to));
    }
    this.stage.invalidate();
  }

  /** For every picture. */
  tick(now) {
    this.hand.tick(now);
    if (this.#pointer && this.stage.follow) this.#pull();
    else if (this.simulation?.held) this.#draw();
  }
}
