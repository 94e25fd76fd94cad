// A character as its glTF file has it: its own meshes on its own bones, moved by the keys of its own clips and nothing
// else, so that what is seen is what is in the file.
import {
  AnimationMixer, Box3, BufferAttribute, BufferGeometry, Group, LoadingManager, Matrix4, Quaternion, Texture,
  TextureLoader, Vector3,
} from 'three';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { clone } from 'three/addons/utils/SkeletonUtils.js';
import { ClipMotion } from './motion.js';

/** Of the skin, for framing and for its middle; more would take long and change nothing. */
const mostPoints = 400;
const pointsOfMiddle = 100;
/** Poses of all clips together that framing looks at, and of each. */
const mostPoses = 240;
const posesOfClip = { least: 3, most: 30 };

/** @returns {ArrayBuffer} */
function unpack(text) {
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes.buffer;
}

/**
 * @param {string} text base64 of a GLB file
 * @param {{clip?: string, scale?: number}} look the clip to begin with; metres a unit of the file has, where a run is in metres
 */
export async function readCharacter(text, look) {
  const missing = [];
  const manager = new LoadingManager(undefined, undefined, (url) => missing.push(url));
  // What is not in the file itself stays away: a page asks nobody for anything.
  manager.setURLModifier((url) => (/^(data|blob):/.test(url) ? url : 'data:,'));
  const loader = new GLTFLoader(manager);
  // The loader's own choice fetches pictures, which no page from a disk may do. An <img> needs no fetch.
  loader.register((parser) => {
    parser.textureLoader = new TextureLoader(manager);
    return { name: 'pictures_by_element' };
  });
  loader.setMeshoptDecoder(MeshoptDecoder);
  // Neither a decoder of Draco nor one of KTX2 is in the page: what they hold stays away, and the rest is shown.
  loader.setDRACOLoader({
    preload() {},
    decodeDracoFile(buffer, done) {
      missing.push('Draco');
      done(new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(0), 3)));
    },
  });
  loader.register((parser) => ({
    name: 'KHR_texture_basisu',
    loadTexture(index) {
      if (!parser.json.textures[index].extensions?.KHR_texture_basisu) return null;
      missing.push('KTX2');
      return Promise.resolve(new Texture());
    },
  }));
  const gltf = await loader.parseAsync(unpack(text), '');
  if (!gltf.scene) throw new Error('the file has no scene');
  return new Character(gltf, look, missing.length);
}

/** The character once: a tree of nodes with a clip of its own. */
class Actor {
  #mixer;
  #action;

  /** @param {import('three').Object3D} object */
  constructor(object) {
    this.object = object;
    this.#mixer = new AnimationMixer(object);
    this.nodes = [];
    object.traverse((node) => this.nodes.push(node));
    this.meshes = this.nodes.filter((node) => node.isMesh);
  }

  /** @param {import('three').AnimationClip | undefined} clip none: the rest pose */
  setClip(clip) {
    // Stopping gives back the rest pose, so that what the next clip leaves alone is not left over from this one.
    this.#action?.stop();
    this.clip = clip;
    this.#action = clip && this.#mixer.clipAction(clip).play();
  }

  /** Before its first key and after its last one a clip stands. */
  show(time) {
    if (!this.#action) return;
    this.#action.time = Math.min(Math.max(time, 0), this.clip.duration);
    this.#mixer.update(0);
  }
}

/** The nodes that skins hang on; of a file without skins those that its clips move. */
function bonesOf(actor, clips) {
  const bones = new Set(actor.meshes.flatMap((mesh) => mesh.skeleton?.bones ?? []));
  if (bones.size) return actor.nodes.filter((node) => bones.has(node));
  const moved = new Set(clips.flatMap((clip) => clip.tracks.map((track) => track.name.slice(0, track.name.lastIndexOf('.')))));
  return actor.nodes.filter((node) => moved.has(node.name));
}

/** What the loader leaves to whoever shows it. */
function dress(scene) {
  const lights = [];
  scene.traverse((node) => {
    if (node.isLight) lights.push(node); // the stage has its own
    // Clips name nodes; what has no name is named by what they call it, so that a second character finds its own.
    if (!node.name) node.name = node.uuid;
    if (!node.isMesh) return;
    node.frustumCulled = false; // its box is that of the rest pose
    node.castShadow = node.receiveShadow = true;
    for (const material of [node.material].flat()) {
      // Metal shows its surroundings, of which there are none: it would be black.
      if (material.metalness > 0.3) material.metalness = 0.3;
    }
  });
  for (const light of lights) light.removeFromParent();
}

export class Character {
  root = new Group();
  #skin = new Group();
  #samples;

  /** @param {import('three/addons/loaders/GLTFLoader.js').GLTF} gltf @param {number} missing pictures that could not be loaded */
  constructor(gltf, { clip, scale = 1 }, missing) {
    this.clips = gltf.animations;
    // As the command calls those without a name.
    this.clips.forEach((each, i) => (each.name = gltf.parser.json.animations[i].name || `clip_${i}`));
    this.asset = gltf.asset;
    this.missing = missing;
    dress(gltf.scene);
    this.root.name = 'character';
    this.root.scale.setScalar(scale);
    this.root.add(this.#skin);
    /** @type {Actor[]} a second one stands beside the first, for comparing */
    this.actors = [];
    this.#add(gltf.scene);
    const [actor] = this.actors;
    /** Where each bone is in `nodes` of an actor. @type {number[]} */
    this.bones = bonesOf(actor, this.clips).map((bone) => actor.nodes.indexOf(bone));
    this.indices = actor.nodes.map((node) => gltf.parser.associations.get(node)?.nodes);
    this.#samples = this.#choosePoints();
    this.chosen = clip === undefined ? Math.min(0, this.clips.length - 1) : this.find(clip);
    this.beside = -1;
    actor.setClip(this.clips[this.chosen]);
  }

  #add(object) {
    this.#skin.add(object);
    this.actors.push(new Actor(object));
  }

  /** @param {string | number} clip a name or a number from 0 @returns {number} */
  find(clip) {
    const found = typeof clip === 'number' && this.clips[clip] ? clip : this.clips.findIndex(({ name }) => name === clip);
    if (found >= 0) return found;
    const known = this.clips.map(({ name }) => `'${name}'`).join(', ');
    throw new Error(`there is no clip '${clip}'; ${known ? `there are ${known}` : 'the file has none'}`);
  }

  /** @param {number} clip which of the clips */
  choose(clip) {
    this.chosen = clip;
    this.actors[0].setClip(this.clips[clip]);
  }

  /** A second one with another clip, so far aside; -1: none. */
  compare(clip) {
    this.beside = clip;
    if (clip >= 0 && this.actors.length === 1) this.#add(clone(this.actors[0].object));
    const second = this.actors[1];
    if (!second) return;
    second.object.visible = clip >= 0;
    second.setClip(this.clips[clip]);
  }

  /** Those that are seen. */
  get shown() {
    return this.beside < 0 ? this.actors.slice(0, 1) : this.actors;
  }

  /** How long what is seen lasts, in frames of its keys. */
  get motion() {
    return new ClipMotion(this.shown.map(({ clip }) => clip).filter(Boolean));
  }

  /** How far the second one stands from the first, in the world. @param {Vector3} step */
  setAside(step) {
    this.actors[1]?.object.position.copy(step).divideScalar(this.root.scale.x);
  }

  #led = []; // nodes with the body that leads each, what a unit of theirs is in m, and how they stand at rest
  #isLed = false;

  /**
   * Bodies of these names stand where the bones of the same names are, as they do in scenes that `sinew bake` and
   * `sinew convert` make of a character. To be said before a clip is shown.
   * @param {string[]} names @returns {number} how many bones have a body
   */
  pair(names) {
    const indices = new Map(names.map((name, i) => [name, i]));
    this.root.updateMatrixWorld(true);
    this.#led = this.actors[0].nodes.flatMap((node) => {
      const body = indices.get(node.userData.name ?? node.name);
      const rest = [node.position.clone(), node.quaternion.clone(), node.scale.clone()];
      return body === undefined ? [] : [{ node, body, size: node.getWorldScale(new Vector3()), rest }];
    });
    return this.#led.length;
  }

  /** Bones go where their bodies are; those without one go on with the clip, again and again. @param {Float32Array} poses 7 numbers a body */
  follow(time, poses) {
    const [actor] = this.actors;
    const { duration = 0 } = actor.clip ?? {};
    actor.show(duration > 0 ? time % duration : 0);
    this.#isLed = true;
    const [place, turn, world] = [new Vector3(), new Quaternion(), new Matrix4()];
    for (const { node, body, size } of this.#led) {
      // Parents come first, and what is above a bone stands by then.
      node.parent.updateWorldMatrix(true, false);
      world.compose(place.fromArray(poses, 7 * body), turn.fromArray(poses, 7 * body + 3), size);
      world.premultiply(node.parent.matrixWorld.clone().invert()).decompose(node.position, node.quaternion, node.scale);
    }
    this.root.updateMatrixWorld(true);
  }

  /** Clips alone move it again. */
  letGo() {
    if (!this.#isLed) return;
    this.#isLed = false;
    const [actor] = this.actors;
    const { clip } = actor;
    actor.setClip(undefined);
    for (const { node, rest: [position, quaternion, scale] } of this.#led) {
      node.position.copy(position);
      node.quaternion.copy(quaternion);
      node.scale.copy(scale);
    }
    actor.setClip(clip);
  }

  setSkin(on) {
    this.#skin.visible = on;
  }

  show(time) {
    for (const actor of this.shown) actor.show(time);
    this.root.updateMatrixWorld(true);
  }

  #choosePoints() {
    const { meshes } = this.actors[0];
    const count = meshes.reduce((sum, { geometry }) => sum + geometry.attributes.position.count, 0);
    const every = Math.max(Math.ceil(count / mostPoints), 1);
    return meshes.flatMap((mesh) => {
      const all = mesh.geometry.attributes.position.count;
      return Array.from({ length: Math.ceil(all / every) }, (_, i) => ({ mesh, vertex: i * every }));
    });
  }

  /** Points of the skin of the first as it is now, in the world. @returns {Vector3[]} */
  points(every = 1) {
    if (!this.#samples.length) {
      return this.bones.map((i) => new Vector3().setFromMatrixPosition(this.actors[0].nodes[i].matrixWorld));
    }
    return this.#samples.filter((_, i) => i % every === 0).map(({ mesh, vertex }) =>
      mesh.getVertexPosition(vertex, new Vector3()).applyMatrix4(mesh.matrixWorld));
  }

  /** The middle of its skin as it is now. */
  middle(out = new Vector3()) {
    const points = this.points(Math.ceil(this.#samples.length / pointsOfMiddle));
    out.set(0, 0, 0);
    for (const point of points) out.add(point);
    return out.divideScalar(Math.max(points.length, 1));
  }

  /**
   * Where its skin gets to in clips: points in the world, and about the middle of their pose.
   * @param {number[]} clips which ones; -1 is the rest pose
   */
  sweep(clips) {
    const [actor] = this.actors;
    const { clip: before } = actor;
    const swept = { points: [], around: [] };
    const poses = Math.min(Math.max(Math.floor(mostPoses / clips.length), posesOfClip.least), posesOfClip.most);
    for (const index of clips) {
      const clip = this.clips[index];
      actor.setClip(clip);
      for (let i = 0; i < (clip ? poses : 1); i++) {
        actor.show((i / (poses - 1)) * (clip?.duration ?? 0));
        this.root.updateMatrixWorld(true);
        const middle = this.middle();
        const good = this.points().filter((point) => Number.isFinite(point.lengthSq()));
        swept.points.push(...good);
        swept.around.push(...good.map((point) => point.clone().sub(middle)));
      }
    }
    actor.setClip(before);
    return swept;
  }

  /** Counts for people. */
  get facts() {
    const { meshes } = this.actors[0];
    const sum = (count) => meshes.reduce((all, { geometry }) => all + count(geometry), 0);
    return {
      bones: this.bones.length,
      meshes: meshes.length,
      vertices: sum(({ attributes }) => attributes.position.count),
      triangles: Math.round(sum(({ index, attributes }) => (index ?? attributes.position).count / 3)),
    };
  }

  /** Every bone as it is now: in its parent, just as the keys have it, and where it is in the units of the file. */
  pose(actor = this.actors[0]) {
    const back = this.root.matrixWorld.clone().invert();
    return this.bones.map((i) => {
      const node = actor.nodes[i];
      return {
        node: this.indices[i],
        name: node.userData.name ?? '',
        translation: node.position.toArray(),
        rotation: node.quaternion.toArray(),
        scale: node.scale.toArray(),
        matrix: back.clone().multiply(node.matrixWorld).toArray(),
      };
    });
  }
}

/** Where the ground is under a character: files put it at 0, unless theirs is nowhere near. */
export function groundUnder(points) {
  const { min, max } = new Box3().setFromPoints(points);
  return Math.abs(min.y) < 0.3 * (max.y - min.y) ? 0 : min.y;
}
