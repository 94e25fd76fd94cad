// The picture: renderer, light, camera and what stands in the world. Draws only when something changed.
import {
  Color, DirectionalLight, HemisphereLight, MathUtils, NeutralToneMapping, PCFShadowMap, PerspectiveCamera, Raycaster,
  Scene, Spherical, Vector2, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { Bones } from './bones.js';
import { groundUnder } from './character.js';
import { Company } from './company.js';
import { Contacts } from './contacts.js';
import { Figure } from './figure.js';
import { cornersNow, extentOf, fit, leaves, sweep } from './framing.js';
import { Ground } from './ground.js';
import { Guides } from './guides.js';
import { Loads } from './loads.js';
import { Marks } from './marks.js';
import { Obstacles } from './obstacles.js';
import { Meshes } from './meshes.js';
import { Particles } from './particles.js';
import { fixedEnds, Springs } from './springs.js';
import { wishedPlaces, Wishes } from './wishes.js';

const themes = {
  light: { back: 0xeef1f4, ground: 0xdfe4e9, line: 0x9aa5b1, shadow: 0.3, sky: 0xffffff, earth: 0xd9d4cc, skyLight: 2.6, fill: 0.9 },
  dark: { back: 0x16191d, ground: 0x1f2429, line: 0x4a535d, shadow: 0.55, sky: 0xdce6f2, earth: 0x8a8680, skyLight: 2.3, fill: 0.8 },
};

// Where the light comes from, with the two axes of its shadow map.
const sunFrom = new Vector3(0.5, 1.5, 0.7).normalize();
const sunRight = new Vector3(0, 1, 0).cross(sunFrom).normalize();
const sunAxes = [sunRight, sunFrom.clone().cross(sunRight), sunFrom];

/** Where the camera stands until somebody moves it, in degrees: about the vertical from z toward x, and above the horizon. */
const usual = { azimuth: 31.8, elevation: 17 };

/** From what is looked at to the camera. */
function fromAngles({ azimuth, elevation }) {
  const phi = MathUtils.degToRad(90 - MathUtils.clamp(elevation, -89.9, 89.9));
  return new Vector3().setFromSphericalCoords(1, phi, MathUtils.degToRad(azimuth));
}

/** So many particles at a time take long to draw where edges are smoothed without a graphics card: four times as long. */
const crowd = 20000;
const isCrowd = ({ particles = [] }) => particles.reduce((sum, { most = 10000 }) => sum + most, 0) > crowd;

/** Whether the browser draws without a graphics card. */
function drawsInSoftware() {
  const gl = document.createElement('canvas').getContext('webgl2');
  const names = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = names ? gl.getParameter(names.UNMASKED_RENDERER_WEBGL) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

export class Stage {
  follow = false;
  #scene = new Scene();
  #camera = new PerspectiveCamera(35, 1, 0.01, 1000);
  #stale = true;
  #center = new Vector3();

  /**
   * @param {HTMLCanvasElement} canvas @param {import('./data.js').Scene} scene
   * @param {import('./motion.js').Motion} motion
   * @param {import('./character.js').Character} [character] with a skin of its own
   */
  constructor(canvas, scene, motion, character) {
    this.canvas = canvas;
    this.motion = motion;
    this.character = character;
    this.poses = new Float32Array(7 * motion.bodies);
    this.renderer = new WebGLRenderer({ canvas, antialias: !(isCrowd(scene) && drawsInSoftware()) });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.toneMapping = NeutralToneMapping;

    this.figure = new Figure(scene);
    this.#isLed = Boolean(character?.pair(scene.bodies.map(({ name }) => name)));
    this.#run = { points: sweep(motion, this.figure), around: sweep(motion, this.figure, true) };
    this.#run.points.push(...fixedEnds(scene));
    this.#addWished(scene);
    this.company = new Company(scene, motion);
    this.#addCompany(motion);
    this.#addParticles(motion);
    // The light, the ground and what the camera can see at all must do for every clip.
    const all = this.#withClips(character?.clips.map((_, i) => i));
    this.reach = all.around.reduce((most, point) => Math.max(most, point.length()), 0.01);
    this.extent = extentOf(all.points);
    this.#collect();
    this.obstacles = new Obstacles(scene.obstacles);
    const under = character && all.points.length ? groundUnder(all.points) : this.extent.lowest;
    const lowest = Math.min(under, this.obstacles.lowest);
    this.ground = new Ground(scene.obstacles, { ...this.extent, lowest }, this.reach);
    this.marks = new Marks();
    this.guides = this.marks.add(new Guides(scene, motion, this.extent.size));
    const measure = { reach: this.reach, cell: this.ground.cell };
    this.loads = this.marks.add(new Loads(scene, motion, measure));
    this.contacts = this.marks.add(new Contacts(scene, motion, measure));
    const floor = scene.obstacles.find(({ type, normal = [0, 1, 0] }) => type === 'plane' && normal[1] > 0.99);
    this.marks.add(this.company);
    this.meshes = this.marks.add(new Meshes(motion));
    this.springs = this.marks.add(new Springs(scene, motion, this.extent.size));
    this.wishes = this.marks.add(new Wishes(scene, motion, this.extent.size));
    this.particles = this.marks.add(new Particles(motion, floor && { height: floor.position?.[1] ?? 0, sun: sunFrom }));
    if (character) this.bones = this.marks.add(new Bones(character));
    if (character) this.#scene.add(character.root);
    this.#scene.add(this.figure.root, this.obstacles.root, this.ground.root, this.marks.root);
    this.#addLight();

    this.controls = new OrbitControls(this.#camera, canvas);
    this.controls.addEventListener('change', () => this.invalidate());
    this.controls.addEventListener('start', () => (this.#steered = true));
    this.controls.maxDistance = 40 * this.extent.size;
    this.controls.minDistance = 0.02 * this.extent.size;
    this.#camera.near = 0.002 * this.extent.size;
    this.#camera.far = 80 * this.extent.size;
  }

  #isLed; // whether bodies of the run lead bones of the character
  #run;
  #points;
  #around;
  #framed = false;
  #steered = false; // by a hand, which is not contradicted
  #time = 0;
  #theme = 'light';

  /** The light and the camera must reach the others of a crowd too. */
  #addCompany(motion) {
    const points = this.company.points();
    if (!points.length) return;
    motion.sample(motion.start, this.poses);
    const center = this.figure.centerOfMass(this.poses);
    this.#run.points.push(...points);
    this.#run.around.push(...points.map((point) => point.clone().sub(center)));
  }

  /** Where something should come to is seen too, unless it is far from all that moves. */
  #addWished(scene) {
    if (!this.#run.points.length) return;
    const { center, size } = extentOf(this.#run.points);
    const near = wishedPlaces(scene).filter((place) => place.distanceTo(center) < 2 * size);
    this.#run.points.push(...near);
  }

  /** Where most of the particles are must be seen too; a few that fly far are not waited for. */
  #addParticles(motion) {
    const places = motion.someParticles();
    if (!places.length) return;
    const sides = [0, 1, 2].map((k) => {
      const sorted = places.filter((_, i) => i % 3 === k).sort((a, b) => a - b);
      return [sorted[Math.floor(0.005 * (sorted.length - 1))], sorted[Math.ceil(0.995 * (sorted.length - 1))]];
    });
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => new Vector3(sides[0][n & 1], sides[1][(n >> 1) & 1], sides[2][n >> 2]));
    this.#run.points.push(...corners);
    this.#still = extentOf(corners).center;
    this.#run.around.push(...corners.map((corner) => corner.clone().sub(this.#still)));
  }

  /** A crowd is seen from higher up, or the first row would hide the others. */
  get #usual() {
    return this.motion.crowd ? { ...usual, elevation: 32 } : usual;
  }

  #still = new Vector3(); // the middle of a scene without bodies

  /** All that is to be seen of the run, and of clips. @param {number[]} [clips] none: the rest pose */
  #withClips(clips = []) {
    if (!this.character) return this.#run;
    const swept = this.character.sweep(clips.length ? clips : [-1]);
    return { points: [...this.#run.points, ...swept.points], around: [...this.#run.around, ...swept.around] };
  }

  /** What the first picture must show: a second character stands beside the first. */
  #collect() {
    const { character } = this;
    const first = this.#withClips(character && [character.chosen]);
    this.#points = first.points;
    this.#around = first.around;
    if (!character || character.beside < 0) return;
    const other = character.sweep([character.beside]);
    const aside = fromAngles({ azimuth: usual.azimuth + 90, elevation: 0 }); // to the right in the usual picture
    const along = [...this.#around, ...other.around].map((point) => point.dot(aside));
    const [least, most] = along.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [0, 0]);
    aside.multiplyScalar(1.05 * (most - least));
    character.setAside(aside);
    this.#points = [...this.#points, ...other.points.map((point) => point.add(aside))];
    this.#around = [...this.#around, ...other.around.map((point) => point.add(aside))];
  }

  /** Another clip is shown, or another beside it. */
  setClips(newCompany) {
    this.#collect();
    if (newCompany) this.#widenSun(this.#sunWidth());
    if (newCompany && this.#framed) this.frame();
    this.refresh();
  }

  #addLight() {
    // Plain lights: a pre-filtered room around it looks no better on matt bodies and takes seconds to make
    // where no graphics card helps.
    this.sky = new HemisphereLight();
    this.fill = new DirectionalLight(0xdfeaff);
    this.fill.position.set(-0.8, 0.35, -0.6);
    this.sun = new DirectionalLight(0xfff3e2, 2.3);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 5;
    this.sun.shadow.bias = -0.0003;
    this.sunDistance = 1.5 * this.extent.size;
    this.#widenSun(this.#sunWidth());
    this.#scene.add(this.sky, this.fill, this.sun, this.sun.target);
  }

  /** Half the width of what the light must reach about the middle of the character. */
  #sunWidth() {
    // A hand may stretch it farther than it went by itself.
    if (this.motion.live) return 1.6 * this.reach;
    return 1.02 * (this.character?.beside >= 0 ? 3 : 1) * this.reach;
  }

  /** The light travels with the character, so that the shadow map holds only that and stays sharp. */
  #widenSun(r) {
    const { shadow } = this.sun;
    Object.assign(shadow.camera, { left: -r, right: r, top: r, bottom: -r, near: 0.01 * r, far: 4 * this.extent.size });
    shadow.camera.updateProjectionMatrix();
    shadow.normalBias = 0.004 * r;
    this.texel = (2 * r) / shadow.mapSize.x;
  }

  /** Shows another motion of the same character. */
  setMotion(motion) {
    this.motion = motion;
    this.guides.setMotion(motion);
    this.loads.setMotion(motion);
    this.contacts.setMotion(motion);
    this.particles.setMotion(motion);
    this.meshes.setMotion(motion);
    this.company.setMotion(motion);
    this.springs.setMotion(motion);
    this.wishes.setMotion(motion);
    this.#widenSun(this.#sunWidth());
    this.setLook({});
  }

  #look = { skin: true, bones: false, bodies: false };

  /** Whether a simulation moves the skin. A second character beside it has no bodies. */
  get #wearsSkin() {
    return this.#isLed && this.motion.live && this.character.beside < 0;
  }

  /** What is seen of a character with a skin. A simulation whose bodies lead no bones has the picture for itself. */
  setLook(look) {
    Object.assign(this.#look, look);
    if (!this.character) return;
    const bare = this.motion.live && !this.#wearsSkin;
    if (!this.#wearsSkin) this.character.letGo();
    this.character.root.visible = !bare;
    this.character.setSkin(this.#look.skin);
    this.bones.root.visible = this.#look.bones && !bare;
    this.figure.root.visible = this.#look.bodies || bare;
    this.figure.setGlass(!bare);
    this.refresh();
  }

  get camera() {
    return this.#camera;
  }

  /** Moves by whole texels of the shadow map, or the edges of shadows would crawl. */
  #aimSun(at) {
    const whole = (x) => Math.round(x / this.texel) * this.texel;
    const place = new Vector3();
    for (const axis of sunAxes) place.addScaledVector(axis, whole(axis.dot(at)));
    this.sun.target.position.copy(place);
    this.sun.position.copy(place).addScaledVector(sunAxes[2], this.sunDistance);
    this.sun.target.updateMatrixWorld();
    this.ground.setSun(place, sunAxes, this.sun.shadow.camera.right);
  }

  setTheme(name) {
    this.#theme = name;
    const colors = themes[name];
    this.#scene.background = new Color(colors.back);
    this.fill.intensity = colors.fill;
    this.sky.intensity = colors.skyLight;
    this.sky.color.set(colors.sky);
    this.sky.groundColor.set(colors.earth);
    this.ground.setTheme(colors);
    this.figure.setTheme(name);
    this.marks.setTheme(name);
    this.invalidate();
  }

  /** Shows the motion at a time. */
  show(time) {
    this.#time = time;
    const center = this.#pose(time);
    if (this.follow) this.#moveWith(center);
    this.#keepInside();
    this.invalidate();
  }

  /** A simulation may go anywhere: the camera goes back and aside until all bodies are in the picture, with some room. */
  #keepInside() {
    if (!this.motion.live || this.#steered || !this.#framed || !this.controls.enabled) return;
    if (!leaves(cornersNow(this.figure, this.poses), this.#camera)) return;
    this.frame(1.2, cornersNow(this.figure, this.poses, this.follow ? this.#center : undefined));
  }

  #coarse = false;

  /** How much is drawn. @param {{oneIn: number, shadows: boolean, coarse: boolean}} part */
  setPart({ oneIn, shadows, coarse }) {
    this.particles.part = { oneIn, shadows };
    if (coarse !== this.#coarse) {
      this.#coarse = coarse;
      this.resize();
    }
    this.refresh();
  }

  /** Shows the same time again, after something else changed. */
  refresh() {
    this.#pose(this.#time);
    this.invalidate();
  }

  /** The centre of mass as it is now; of a character alone the middle of its skin. */
  #middle(out = new Vector3()) {
    if (this.motion.bodies) return this.figure.centerOfMass(this.poses, out);
    return this.character ? this.character.middle(out) : out.copy(this.#still);
  }

  /** @returns {Vector3} the common centre of mass at that time */
  #pose(time) {
    this.motion.sample(time, this.poses);
    this.figure.setPoses(this.poses);
    if (this.#wearsSkin) this.character.follow(time, this.poses);
    else this.character?.show(time);
    this.marks.show(time, this.poses);
    const center = this.#middle();
    this.#aimSun(center);
    return center;
  }

  #moveWith(center) {
    const step = center.clone().sub(this.#center);
    this.#center.copy(center);
    this.#camera.position.add(step);
    this.controls.target.add(step);
    this.controls.update();
  }

  /** The camera by keys: turns about what it looks at, goes nearer or farther. */
  orbit(azimuth, polar, zoom = 1) {
    this.#steered = true;
    const arm = this.#camera.position.clone().sub(this.controls.target);
    const turned = new Spherical().setFromVector3(arm);
    turned.theta += azimuth;
    turned.phi += polar;
    turned.radius *= zoom;
    this.#camera.position.copy(this.controls.target).add(arm.setFromSpherical(turned.makeSafe()));
    this.controls.update();
    this.invalidate();
  }

  setFollow(on) {
    this.follow = on;
    this.#middle(this.#center);
    if (this.#framed) this.frame();
  }

  /** A character that travels far would be a speck in a picture of its whole way. Of one body alone the way is what there is to see. */
  get travelsFar() {
    const most = this.motion.bodies === 1 ? 60 : 8;
    return extentOf(this.#points).size > most * this.reach;
  }

  /** What the camera must see; of a simulation only the last second, for it may have gone anywhere, unless there are particles. */
  #toSee() {
    if (this.motion.live && !this.particles.root.children.length) return sweep(this.motion, this.figure, this.follow, this.motion.end - 1);
    return this.follow ? this.#around : this.#points;
  }

  /** Puts everything into the picture: the whole motion, or all that moves about the one followed. @param {number} room 1 is close @param {Vector3[]} more points */
  frame(room = 1, more = []) {
    const now = this.#camera.position.clone().sub(this.controls.target);
    const direction = this.#framed ? now : fromAngles(this.#usual);
    const { target, distance } = fit([...this.#toSee(), ...more], this.#camera, direction, this.#covered());
    if (this.follow) target.add(this.#center);
    this.controls.target.copy(target);
    this.#camera.position.copy(target).addScaledVector(direction.normalize(), room * distance);
    this.controls.update();
    this.#framed = true;
    this.#steered = false;
    this.invalidate();
  }

  /** Parts of the picture's height under the title and the switches, which on a phone are at its lower edge. */
  #covered() {
    const height = this.canvas.clientHeight;
    const box = (id) => this.canvas.parentElement.querySelector(id);
    const switches = box('#switches');
    const isBelow = switches.offsetTop > height / 2;
    // What lies beside a wide picture's middle covers nothing of it.
    const above = isBelow || this.canvas.clientWidth > 900 ? 0 : switches.offsetTop + switches.offsetHeight;
    return {
      top: Math.min(Math.max(box('#title').offsetHeight, above) / height, 0.2),
      bottom: isBelow ? Math.min(switches.offsetHeight / height, 0.2) : 0,
    };
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    this.#setSize(width, height, Math.min(devicePixelRatio, 2) * (this.#coarse ? 0.5 : 1));
    const turned = this.#camera.aspect > 1 !== width > height;
    this.#camera.aspect = width / height;
    this.#camera.updateProjectionMatrix();
    // A phone that was turned shows another part of the world: frame again.
    if (!this.#framed || turned) this.frame();
    this.invalidate();
  }

  #setSize(width, height, ratio) {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.ground.setPixelRatio(ratio);
    this.wishes.setPixels(height, Math.tan((this.#camera.fov * Math.PI) / 360));
  }

  invalidate() {
    this.#stale = true;
  }

  draw() {
    if (!this.#stale) return;
    this.#stale = false;
    this.renderer.render(this.#scene, this.#camera);
  }

  /** From the eye through a point of the canvas in pixels. */
  ray(x, y) {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((2 * x) / w - 1, 1 - (2 * y) / h), this.#camera);
    return ray;
  }

  /** How far before the camera a point lies. @param {Vector3} point */
  depthOf(point) {
    return point.clone().sub(this.#camera.position).dot(this.#camera.getWorldDirection(new Vector3()));
  }

  /** The point under one of the canvas that lies so far before the camera. */
  pointAt(x, y, depth) {
    const { origin, direction } = this.ray(x, y).ray;
    return origin.addScaledVector(direction, depth / direction.dot(this.#camera.getWorldDirection(new Vector3())));
  }

  /** Where a point of the world is on the canvas, in pixels. @param {Vector3} point */
  onCanvas(point) {
    const { x, y } = point.clone().project(this.#camera);
    return { x: (0.5 + 0.5 * x) * this.canvas.clientWidth, y: (0.5 - 0.5 * y) * this.canvas.clientHeight };
  }

  /** How large a pixel is at a point, in m. @param {Vector3} point */
  pixelAt(point) {
    return (2 * Math.tan((this.#camera.fov * Math.PI) / 360) * Math.abs(this.depthOf(point))) / this.canvas.clientHeight;
  }

  /** The body under a point of the canvas in pixels and where it is met. @returns {{body: number, point: Vector3} | undefined} */
  pick(x, y) {
    // Within a skin that a simulation moves, bodies are felt though they are not seen.
    if (!this.figure.root.visible && !this.#wearsSkin) return undefined;
    this.figure.root.updateMatrixWorld();
    for (const { object, point } of this.ray(x, y).intersectObject(this.figure.root, true)) {
      if (!object.visible) continue;
      for (let node = object; node; node = node.parent) {
        if (node.userData.body !== undefined) return { body: node.userData.body, point };
      }
    }
    return undefined;
  }

  /**
   * Draws pictures of any size and time, hands over one after the other, and leaves everything as it was. What is
   * switched on in the page is seen, but the camera is not the page's: it stands where it would at the start in a page
   * of this shape. With `ratio` 2 the canvas is twice as wide and high, for shrinking smoothly.
   * @param {{times: number[], width: number, height: number, ratio: number, theme: 'light' | 'dark',
   *   view: {azimuth?: number, elevation?: number}}} options
   * @param {(canvas: HTMLCanvasElement, index: number) => void} take the canvas holds the picture only until this returns
   */
  portray({ times, width, height, ratio, theme, view }, take) {
    const before = this.#theme;
    const { part } = this.particles;
    try {
      this.#setSize(width, height, ratio);
      const { drawingBufferWidth, drawingBufferHeight } = this.renderer.getContext();
      if (drawingBufferWidth !== ratio * width || drawingBufferHeight !== ratio * height) {
        throw new Error(`the browser draws no picture of ${width}×${height} pixels`);
      }
      this.setTheme(theme);
      this.particles.part = { oneIn: 1, shadows: true };
      const camera = new PerspectiveCamera(this.#camera.fov, width / height, this.#camera.near, this.#camera.far);
      const direction = fromAngles({ ...this.#usual, ...view });
      const { target, distance } = fit(this.travelsFar ? this.#around : this.#points, camera, direction, { top: 0, bottom: 0 });
      times.forEach((time, index) => {
        const center = this.#pose(MathUtils.clamp(time, this.motion.start, this.motion.end));
        const at = this.travelsFar ? target.clone().add(center) : target;
        camera.position.copy(at).addScaledVector(direction, distance);
        camera.lookAt(at);
        this.renderer.render(this.#scene, camera);
        take(this.canvas, index);
      });
    } finally {
      this.particles.part = part;
      this.setTheme(before);
      this.resize();
      this.refresh();
    }
  }

  /** The picture as it is now, as a PNG. @returns {Promise<Blob>} */
  picture() {
    const before = { ...this.particles.part, coarse: this.#coarse };
    this.setPart({ oneIn: 1, shadows: true, coarse: false });
    // The buffer is only there right after drawing.
    this.invalidate();
    this.draw();
    const made = new Promise((done) => this.canvas.toBlob(done, 'image/png'));
    this.setPart(before);
    return made;
  }
}
