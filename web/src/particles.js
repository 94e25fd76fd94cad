// Particles as sprites that face the eye: one draw for each system, streaks and trails as lines. Those that
// shine by themselves add their light, the others cover what is behind them.
import {
  AdditiveBlending, BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, LineSegments, NormalBlending, Points,
  ShaderMaterial, Vector2,
} from 'three';

/** @typedef {import('./motion.js').Motion} Motion */
/** @typedef {import('./motion.js').Cloud} Cloud */

// All that is the same over a point is found per point: where no graphics card helps, every operation per pixel counts.
const vertexShader = `
  attribute float size;
  attribute vec4 tint;
  uniform float scale, least;
  flat varying vec4 shade;
  flat varying float round;
  vec3 displayed(vec3 c) {
    return mix(1.055 * pow(c, vec3(0.41666)) - 0.055, 12.92 * c, vec3(lessThanEqual(c, vec3(0.0031308))));
  }
  void main() {
    vec4 seen = modelViewMatrix * vec4(position, 1.0);
    gl_Position = projectionMatrix * seen;
    float wide = 2.0 * size * scale / max(-seen.z, 1e-6);
    gl_PointSize = clamp(wide, least, 256.0);
    #ifdef BALL
      shade = tint;
    #else
      shade = vec4(displayed(tint.rgb), tint.a);
    #endif
    // What is smaller than the least point is as much fainter.
    shade.a *= min(wide * wide / (least * least), 1.0);
    round = wide;
  }`;

const fragmentShader = `
  flat varying vec4 shade;
  flat varying float round;
  void main() {
    #ifdef BALL
      vec2 at = 2.0 * gl_PointCoord - 1.0;
      float r = dot(at, at);
      if (r > 1.0) discard;
      vec3 normal = vec3(at.x, -at.y, sqrt(1.0 - r));
      gl_FragColor = vec4(shade.rgb * (0.35 + 0.65 * max(dot(normal, vec3(0.35, 0.8, 0.48)), 0.0)), shade.a);
      #include <colorspace_fragment>
    #else
      float alpha = shade.a;
      if (round > 1.5) {
        vec2 at = 2.0 * gl_PointCoord - 1.0;
        float r = dot(at, at);
        if (r > 1.0) discard;
        if (round > 2.5) alpha *= 1.0 - smoothstep(0.3, 1.0, r);
      }
      gl_FragColor = vec4(shade.rgb, alpha);
    #endif
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
      ...shared, vertexShader, fragmentShader, depthWrite: shape === 'sphere', defines: shape === 'sphere' ? { BALL: 1 } : {},
      uniforms: { scale: { value: 1 }, least: { value: 1 } },
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

  /** @param {Cloud} cloud @param {number} oneIn so many of them is drawn, always the same: a particle keeps its place in the arrays for as long as it lives */
  show(cloud, oneIn, shadows) {
    const count = Math.ceil(cloud.count / oneIn);
    if (count > this.#room) this.#grow(count);
    const { position, size, tint } = this.geometry.attributes;
    if (count > 0) {
      put(cloud.places, position, 3, count, oneIn);
      put(cloud.sizes, size, 1, count, oneIn);
      put(cloud.colors, tint, 4, count, oneIn);
    }
    this.geometry.setDrawRange(0, count);
    this.points.visible = count > 0;
    if (this.shadows) this.shadows.visible = shadows && count > 0;
    this.#showLines(cloud, count, oneIn, cloud.trail > 1 ? cloud.trail : this.isStreak ? 1 : 0);
  }

  #grow(count) {
    this.#room = Math.ceil(1.5 * count);
    this.geometry.dispose();
    this.geometry.setAttribute('position', attribute(this.#room, 3));
    this.geometry.setAttribute('size', attribute(this.#room, 1));
    this.geometry.setAttribute('tint', attribute(this.#room, 4, Uint8Array));
  }

  /** Lines from each particle through the places of its trail, or back along its velocity. */
  #showLines(cloud, count, oneIn, each) {
    const segments = count * each;
    this.lines.visible = segments > 0;
    if (!segments) return;
    if (segments > this.#lineRoom) {
      this.#lineRoom = Math.ceil(1.5 * segments);
      this.lineGeometry.dispose();
      this.lineGeometry.setAttribute('position', attribute(2 * this.#lineRoom, 3));
      this.lineGeometry.setAttribute('tint', attribute(2 * this.#lineRoom, 4, Uint8Array));
    }
    const { position, tint } = this.lineGeometry.attributes;
    if (cloud.trail > 1) fillTrails(cloud, oneIn, position.array, tint.array);
    else fillStreaks(cloud, oneIn, position.array, tint.array);
    changed(position, 2 * segments * 3);
    changed(tint, 2 * segments * 4);
    this.lineGeometry.setDrawRange(0, 2 * segments);
  }
}

/** The first numbers of an attribute are new. @param {BufferAttribute} attribute */
function changed(attribute, numbers) {
  attribute.clearUpdateRanges();
  attribute.addUpdateRange(0, numbers);
  attribute.needsUpdate = true;
}

/** One particle in so many, into the first places of an attribute. */
function put(from, attribute, width, count, oneIn) {
  const to = attribute.array;
  if (oneIn === 1) to.set(from);
  else {
    const skipped = (oneIn - 1) * width;
    for (let a = 0, k = 0; a < count * width; k += skipped) {
      for (let end = a + width; a < end;) to[a++] = from[k++];
    }
  }
  changed(attribute, count * width);
}

function fillStreaks({ count, places, velocities, colors }, oneIn, position, tint) {
  for (let from = 0, i = 0; from < count; from += oneIn, i++) {
    for (let k = 0; k < 3; k++) {
      position[6 * i + k] = places[3 * from + k];
      position[6 * i + 3 + k] = places[3 * from + k] - streakTime * velocities[3 * from + k];
    }
    for (let k = 0; k < 4; k++) {
      tint[8 * i + k] = colors[4 * from + k];
      tint[8 * i + 4 + k] = k < 3 ? colors[4 * from + k] : 0;
    }
  }
}

/** The tail fades out. */
function fillTrails({ count, places, trails, trail, colors }, oneIn, position, tint) {
  let at = 0;
  for (let i = 0; i < count; i += oneIn) {
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
