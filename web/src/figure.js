// The character: one object per body that takes its pose, holding shapes, joints and inertia ellipsoid.
import {
  Box3, Color, FrontSide, Group, Mesh, MeshPhysicalMaterial, MeshStandardMaterial, SphereGeometry, SRGBColorSpace, Vector3,
} from 'three';
import { addJoints } from './joints.js';
import { inertiaEllipsoid, limbEllipsoid, matrixOf, shapeGeometry } from './shapes.js';

/** @typedef {import('./data.js').Scene} Scene */

// Clay for the trunk; left and right tell themselves apart as animators are used to: cool and warm.
const tones = { left: 0x6d93bd, right: 0xcf9468, middle: 0xcdc6bb };
const highlight = new Color(0x2f6fff);
const glass = new MeshStandardMaterial({
  color: 0x23b5a0, roughness: 0.25, transparent: true, opacity: 0.42, depthWrite: false,
  polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2, // a ball is its own ellipsoid
});

export function toneOf(name) {
  if (/(^|[^a-z])(left|l)([^a-z]|$)/i.test(name)) return tones.left;
  if (/(^|[^a-z])(right|r)([^a-z]|$)/i.test(name)) return tones.right;
  return tones.middle;
}

/**
 * How far the joints of each body are from its centre of mass, the farthest one; of a body whose joints are all there, the
 * middle one of all bodies. @returns {Map<string, number>}
 */
function jointReaches(/** @type {Scene} */ scene) {
  const reaches = new Map();
  const centers = new Map(scene.bodies.map((body) => [
    body.name, new Vector3(...(body.center ?? [0, 0, 0])).applyMatrix4(matrixOf(body)),
  ]));
  for (const joint of scene.joints ?? []) {
    for (const name of [joint.first, joint.second]) {
      if (!centers.has(name) || !joint.position) continue;
      const reach = centers.get(name).distanceTo(new Vector3(...joint.position));
      reaches.set(name, Math.max(reach, reaches.get(name) ?? 0));
    }
  }
  const sorted = [...reaches.values()].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  for (const [name, reach] of reaches) if (reach < 0.2 * middle) reaches.set(name, middle);
  return reaches;
}

/** What the scene says, which is meant for a screen; else by the name. */
export function colorOf(/** @type {{name: string, color?: number[]}} */ body) {
  if (!body.color) return new Color(toneOf(body.name));
  return new Color().setRGB(body.color[0], body.color[1], body.color[2], SRGBColorSpace);
}

/** How many joints lie between each body and the first of its skeleton, to set neighbours apart. */
function depths(/** @type {Scene} */ scene) {
  const depth = new Map([['world', -1]]);
  const spread = () => {
    for (let found = true; found; ) {
      found = false;
      for (const { first, second } of scene.joints) {
        if (depth.has(first) === depth.has(second)) continue;
        if (depth.has(first)) depth.set(second, depth.get(first) + 1);
        else depth.set(first, depth.get(second) + 1);
        found = true;
      }
    }
  };
  spread();
  for (const { name } of scene.bodies) {
    if (depth.has(name)) continue;
    depth.set(name, 0);
    spread();
  }
  return depth;
}

export class Figure {
  root = new Group();
  /** @type {Group[]} in the scene's order */
  bodies = [];
  /** Corners of the box around each body, in its frame. @type {Vector3[][]} */
  corners = [];
  #ellipsoids = [];
  #materials = [];
  #colors = [];
  #joints = [];
  #pin = new MeshStandardMaterial({ roughness: 0.4, metalness: 0.35 });

  /** @param {Scene} scene */
  constructor(scene) {
    this.scene = scene;
    const byName = new Map([['world', this.root]]);
    const depth = depths(scene);
    for (const [name, reach] of jointReaches(scene)) scene.bodies.find((body) => body.name === name).reach = reach;
    scene.bodies.forEach((body, i) => {
      const group = new Group();
      group.userData.body = i;
      group.matrixAutoUpdate = false;
      this.root.add(group);
      this.bodies.push(group);
      byName.set(body.name, group);
      const color = colorOf(body);
      if (depth.get(body.name) % 2) color.offsetHSL(0, 0, -0.07);
      this.#addShapes(body, group, color);
      this.#addEllipsoid(body, group);
      this.corners.push(cornersOf(group));
    });
    this.#joints = addJoints(scene, byName, this.#pin);
    this.setInertia(false);
  }

  /** Whether a body is only a little of the picture. */
  get #isSmall() {
    return this.scene.bodies.length > 6;
  }

  #addShapes(body, group, color) {
    const material = new MeshPhysicalMaterial({
      color, roughness: 0.55, clearcoat: 0.25, clearcoatRoughness: 0.5,
      // Back faces, three's usual choice, would lose the shadow where a body touches or sinks in.
      shadowSide: FrontSide,
    });
    this.#materials.push(material);
    this.#colors.push(color);
    for (const shape of body.shapes ?? []) {
      const mesh = new Mesh(shapeGeometry(shape, this.#isSmall), material);
      mesh.castShadow = true;
      mesh.receiveShadow = true;
      group.add(mesh);
    }
  }

  #addEllipsoid(body, group) {
    // A body without shapes has nothing else to show; around shapes it is a shell of glass.
    const alone = !body.shapes?.length;
    const ellipsoid = alone ? limbEllipsoid(body) : inertiaEllipsoid(body);
    if (!ellipsoid) return;
    const geometry = new SphereGeometry(1, this.#isSmall ? 20 : 36, this.#isSmall ? 12 : 24).scale(...ellipsoid.radii).applyMatrix4(ellipsoid.matrix);
    const mesh = new Mesh(geometry, alone ? this.#materials.at(-1) : glass);
    mesh.castShadow = alone;
    mesh.receiveShadow = alone;
    group.add(mesh);
    if (!alone) this.#ellipsoids.push(mesh);
  }

  /** @param {Float32Array} poses 7 numbers a body */
  setPoses(poses) {
    this.bodies.forEach((body, i) => {
      body.position.fromArray(poses, 7 * i);
      body.quaternion.fromArray(poses, 7 * i + 3);
      body.updateMatrix();
    });
  }

  /** Joints are dark on light and light on dark. */
  setTheme(name) {
    this.#pin.color.set(name === 'dark' ? 0x656f7a : 0x49525d);
  }

  setJoints(on) {
    for (const mesh of this.#joints) mesh.visible = on;
  }

  /** See-through, and seen through everything: bodies within the skin that they move. */
  setGlass(on) {
    this.root.renderOrder = on ? 3 : 0;
    this.#materials.forEach((material, i) => {
      // One colour that few skins have; the usual ones would be lost on most.
      material.color.set(on ? glass.color : this.#colors[i]);
      Object.assign(material, { transparent: on, opacity: on ? 0.5 : 1, depthTest: !on, depthWrite: !on, needsUpdate: true });
    });
    this.root.traverse((node) => {
      if (this.#materials.includes(node.material)) node.castShadow = !on;
    });
  }

  setInertia(on) {
    for (const mesh of this.#ellipsoids) mesh.visible = on;
  }

  /** Lights up one body; -1 none. */
  select(index) {
    this.#materials.forEach((material, i) => {
      material.emissive.copy(highlight);
      material.emissiveIntensity = i === index ? 0.55 : 0;
    });
  }

  /** The common centre of mass in the frame `poses`. @param {Float32Array} poses */
  centerOfMass(poses, out = new Vector3()) {
    let mass = 0;
    out.set(0, 0, 0);
    this.scene.bodies.forEach((body, i) => {
      const m = body.mass ?? 1;
      const place = new Vector3(...(body.center ?? [0, 0, 0]));
      place.applyQuaternion(quaternion.fromArray(poses, 7 * i + 3)).add(offset.fromArray(poses, 7 * i));
      out.addScaledVector(place, m);
      mass += m;
    });
    return out.divideScalar(mass);
  }
}

const offset = new Vector3();
const quaternion = new Group().quaternion;

function cornersOf(group) {
  const box = new Box3();
  for (const { geometry } of group.children) {
    geometry.computeBoundingBox();
    box.union(geometry.boundingBox);
  }
  if (box.isEmpty()) box.setFromCenterAndSize(new Vector3(), new Vector3(0.02, 0.02, 0.02));
  const pick = [box.min, box.max];
  return [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new Vector3(pick[k & 1].x, pick[(k >> 1) & 1].y, pick[k >> 2].z));
}
