// Particles as sprites that face the eye: one draw for each system, streaks and trails as lines. Those that
// shine by themselves add their light, the others cover what is behind them.
import {
  AdditiveBlending, BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, LineSegments, NormalBlending, Points,
  ShaderMaterial, Vector2,
} from 'three';

/** @typedef {import('./motion.js').Motion} Motion */
/** @typedef {import('./motion.js').Cloud} Cloud */

const vertexShader = `
  attribute float size;
  attribute vec4 tint;
  uniform float scale, least;
  varying vec4 shade;
  varying float round;
  void main() {
    vec4 seen = modelViewMatrix * vec4(position, 1.0);
    gl_Position = projectionMatrix * seen;
    float wide = 2.0 * size * scale / max(-seen.z, 1e-6);
    gl_PointSize = clamp(wide, least, 256.0);
    shade = tint;
    // What is smaller than the least point is as much fainter.
    shade.a *= min(wide * wide / (least * least), 1.0);
    round = wide;
  }`;

const fragmentShader = `
  uniform bool ball;
  varying vec4 shade;
  varying float round;
  void main() {
    vec2 at = 2.0 * gl_PointCoord - 1.0;
    float r = dot(at, at);
    if (r > 1.0) discard;
    vec3 color = shade.rgb;
    float alpha = shade.a;
    if (ball) {
      vec3 normal = vec3(at.x, -at.y, sqrt(1.0 - r));
      color *= 0.35 + 0.65 * max(dot(normal, vec3(0.35, 0.8, 0.48)), 0.0);
    } else if (round > 2.5) {
      alpha *= 1.0 - smoothstep(0.3, 1.0, r);
    }
    gl_FragColor = vec4(color, alpha);
    #include <colorspace_fragment>
  }`;

const lineVertexShader = `
  attribute vec4 tint;
  varying vec4 shade;
  void main() {
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    shade = tint;
  }`;
const lineFragmentShader = `
  varying vec4 shade;
  void main() {
    gl_FragColor = shade;
    #include <colorspace_fragment>
  }`;

/** A streak is as long as the way of so much time. */
const streakTime = 1 / 30;

const shadowVertexShader = `
  attribute float size;
  attribute vec4 tint;
  uniform float scale, height;
  uniform vec3 sun;
  varying float dark;
  void main() {
    // Along the light down to the ground.
    vec3 place = position - sun * ((position.y - height) / sun.y);
    vec4 seen = modelViewMatrix * vec4(place, 1.0);
    gl_Position = projectionMatrix * seen;
    float wide = 2.0 * size * scale / max(-seen.z, 1e-6);
    gl_PointSize = clamp(wide, 1.0, 256.0);
    dark = position.y > height ? tint.a * min(wide * wide, 1.0) : 0.0;
  }`;
const shadowFragmentShader = `
  uniform float strength;
  varying float dark;
  void main() {
    vec2 at = 2.0 * gl_PointCoord - 1.0;
    if (dot(at, at) > 1.0 || dark <= 0.0) discard;
    gl_FragColor = vec4(0.0, 0.0, 0.0, strength * dark);
  }`;

function attribute(count, width, Kind = Float32Array) {
  const made = new BufferAttribute(new Kind(count * width), width, Kind === Uint8Array);
  made.setUsage(DynamicDrawUsage);
  return made;
}

/** One system. */
class System {
  root = new Group();
  #room = 0;
  #lineRoom = 0;

  constructor({ shape, emission, shadow }, ground) {
    const blending = emission ? AdditiveBlending : NormalBlending;
    const shared = { transparent: true, depthWrite: false, blending };
    this.isStreak = shape === 'streak';
    this.emission = emission;
    this.geometry = new BufferGeometry();
    this.points = new Points(this.geometry, new ShaderMaterial({
      ...shared, vertexShader, fragmentShader, depthWrite: shape === 'sphere',
      uniforms: { scale: { value: 1 }, least: { value: 1 }, ball: { value: shape === 'sphere' } },
    }));
    this.lineGeometry = new BufferGeometry();
    this.lines = new LineSegments(this.lineGeometry, new ShaderMaterial({
      ...shared, vertexShader: lineVertexShader, fragmentShader: lineFragmentShader,
    }));
    this.root.add(this.points, this.lines);
    if (shadow && ground) {
      this.shadows = new Points(this.geometry, new ShaderMaterial({
        transparent: true, depthWrite: false, vertexShader: shadowVertexShader, fragmentShader: shadowFragmentShader,
        uniforms: { scale: { value: 1 }, height: { value: ground.height }, sun: { value: ground.sun }, strength: { value: 0.3 } },
      }));
      this.shadows.renderOrder = -1;
      this.root.add(this.shadows);
    }
    for (const each of this.root.children) {
      each.frustumCulled = false;
      // Pixels that a point of one metre at the distance of one metre has across.
      each.onBeforeRender = (renderer, scene, camera) => {
        const { scale, least } = each.material.uniforms;
        if (!scale) return;
        scale.value = 0.5 * renderer.getDrawingBufferSize(drawn).y * camera.projectionMatrix.elements[5];
        if (least) least.value = renderer.getPixelRatio() > 1 ? 1.5 : 1;
        each.material.uniformsNeedUpdate = true;
      };
    }
  }

  setTheme(name) {
    if (!this.emission) return;
    for (const { material } of [this.points, this.lines]) material.blending = name === 'dark' ? AdditiveBlending : NormalBlending;
  }

  /** @param {Cloud} all @param {number} oneIn so many of them is drawn */
  show(all, oneIn, shadows) {
    const cloud = thinned(all, oneIn);
    const { count } = cloud;
    if (count > this.#room) this.#grow(count);
    const { position, size, tint } = this.geometry.attributes;
    if (count > 0) {
      position.array.set(cloud.places);
      size.array.set(cloud.sizes);
      tint.array.set(cloud.colors);
      for (const [each, width] of [[position, 3], [size, 1], [tint, 4]]) {
        each.clearUpdateRanges();
        each.addUpdateRange(0, count * width);
        each.needsUpdate = true;
      }
    }
    this.geometry.setDrawRange(0, count);
    this.points.visible = count > 0;
    if (this.shadows) this.shadows.visible = shadows && count > 0;
    this.#showLines(cloud, cloud.trail > 1 ? cloud.trail : this.isStreak ? 1 : 0);
  }

  #grow(count) {
    this.#room = Math.ceil(1.5 * count);
    this.geometry.dispose();
    this.geometry.setAttribute('position', attribute(this.#room, 3));
    this.geometry.setAttribute('size', attribute(this.#room, 1));
    this.geometry.setAttribute('tint', attribute(this.#room, 4, Uint8Array));
  }

  /** Lines from each particle through the places of its trail, or back along its velocity. */
  #showLines(cloud, each) {
    const segments = cloud.count * each;
    this.lines.visible = segments > 0;
    if (!segments) return;
    if (segments > this.#lineRoom) {
      this.#lineRoom = Math.ceil(1.5 * segments);
      this.lineGeometry.dispose();
      this.lineGeometry.setAttribute('position', attribute(2 * this.#lineRoom, 3));
      this.lineGeometry.setAttribute('tint', attribute(2 * this.#lineRoom, 4, Uint8Array));
    }
    const { position, tint } = this.lineGeometry.attributes;
    if (cloud.trail > 1) fillTrails(cloud, position.array, tint.array);
    else fillStreaks(cloud, position.array, tint.array);
    for (const [one, width] of [[position, 3], [tint, 4]]) {
      one.clearUpdateRanges();
      one.addUpdateRange(0, 2 * segments * width);
      one.needsUpdate = true;
    }
    this.lineGeometry.setDrawRange(0, 2 * segments);
  }
}

/** One particle in so many, always the same: a particle keeps its place in the arrays for as long as it lives. */
function thinned(cloud, oneIn) {
  if (oneIn === 1) return cloud;
  const count = Math.ceil(cloud.count / oneIn);
  const some = (from, width) => {
    const to = new from.constructor(from.length ? count * width : 0);
    for (let i = 0, a = 0; a < to.length; i += oneIn) {
      for (let k = i * width; k < (i + 1) * width; k++) to[a++] = from[k];
    }
    return to;
  };
  return {
    count, places: some(cloud.places, 3), sizes: some(cloud.sizes, 1), colors: some(cloud.colors, 4),
    velocities: some(cloud.velocities, 3), trail: cloud.trail, trails: some(cloud.trails, 3 * cloud.trail),
  };
}

function fillStreaks({ count, places, velocities, colors }, position, tint) {
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) {
      position[6 * i + k] = places[3 * i + k];
      position[6 * i + 3 + k] = places[3 * i + k] - streakTime * velocities[3 * i + k];
    }
    for (let k = 0; k < 4; k++) {
      tint[8 * i + k] = colors[4 * i + k];
      tint[8 * i + 4 + k] = k < 3 ? colors[4 * i + k] : 0;
    }
  }
}

/** The tail fades out. */
function fillTrails({ count, places, trails, trail, colors }, position, tint) {
  let at = 0;
  for (let i = 0; i < count; i++) {
    for (let back = 0; back < trail; back++) {
      for (let k = 0; k < 3; k++) {
        position[6 * at + k] = back === 0 ? places[3 * i + k] : trails[3 * (i * trail + back - 1) + k];
        position[6 * at + 3 + k] = trails[3 * (i * trail + back) + k];
      }
      for (let k = 0; k < 3; k++) tint[8 * at + k] = tint[8 * at + 4 + k] = colors[4 * i + k];
      tint[8 * at + 3] = colors[4 * i + 3] * (1 - back / trail);
      tint[8 * at + 7] = colors[4 * i + 3] * (1 - (back + 1) / trail);
      at++;
    }
  }
}

const drawn = new Vector2();

export class Particles {
  root = new Group();
  /** @type {System[]} */
  #systems = [];
  #theme = 'light';

  /** @param {Motion} motion @param {{height: number, sun: import('three').Vector3} | undefined} ground where shadows fall */
  constructor(motion, ground) {
    this.root.name = 'particles';
    this.ground = ground;
    this.setMotion(motion);
  }

  /** @param {Motion} motion */
  setMotion(motion) {
    this.motion = motion;
    if (this.#systems.length === motion.systems.length) return;
    this.root.clear();
    this.#systems = motion.systems.map((system) => new System(system, this.ground));
    this.setTheme(this.#theme);
    this.root.add(...this.#systems.map(({ root }) => root));
  }

  /** Light that is added to white paper is not seen: there it covers. */
  setTheme(name) {
    this.#theme = name;
    for (const system of this.#systems) system.setTheme(name);
  }

  /** How many there were when last shown. */
  count = 0;
  /** What of them is drawn. @type {{oneIn: number, shadows: boolean}} */
  part = { oneIn: 1, shadows: true };

  show(time) {
    this.count = 0;
    this.#systems.forEach((system, i) => {
      const cloud = this.motion.particlesAt(time, i);
      this.count += cloud.count;
      system.show(cloud, this.part.oneIn, this.part.shadows);
    });
  }
}
