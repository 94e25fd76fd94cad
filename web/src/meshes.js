// Spring meshes as shaded surfaces, both sides; vertices move, faces stay.
import { BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Group, Mesh, MeshStandardMaterial } from 'three';

/** @typedef {import('./motion.js').Motion} Motion */

// Cloths are told apart from bodies and from each other.
const colors = [0x9c4f5c, 0x4f7f6f, 0x7d6aa8, 0xb58a3c];

/** @param {{vertices: number, faces: ArrayLike<number>}} mesh @param {number} index */
function surface({ vertices, faces }, index) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * vertices), 3).setUsage(DynamicDrawUsage));
  geometry.setIndex(new BufferAttribute(Uint32Array.from(faces), 1));
  const material = new MeshStandardMaterial({ color: colors[index % colors.length], roughness: 0.85, side: DoubleSide });
  const drawn = new Mesh(geometry, material);
  drawn.castShadow = drawn.receiveShadow = true;
  drawn.frustumCulled = false;
  return drawn;
}

export class Meshes {
  root = new Group();
  /** @type {Mesh[]} */
  #surfaces = [];

  /** @param {Motion} motion */
  constructor(motion) {
    this.root.name = 'meshes';
    this.setMotion(motion);
  }

  /** @param {Motion} motion */
  setMotion(motion) {
    this.motion = motion;
    if (this.#surfaces.length === motion.meshes.length) return;
    this.root.clear();
    this.#surfaces = motion.meshes.map(surface);
    if (this.#surfaces.length) this.root.add(...this.#surfaces);
  }

  setTheme() {}

  show(time) {
    this.#surfaces.forEach(({ geometry }, i) => {
      const position = geometry.getAttribute('position');
      this.motion.meshAt(time, i, position.array);
      position.needsUpdate = true;
      geometry.computeVertexNormals();
    });
  }
}
