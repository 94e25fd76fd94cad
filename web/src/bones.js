// Bones of a character, as animators are used to see them: a slim octahedron from each to the next, a knob at each
// joint. They shine through the skin.
import {
  BufferGeometry, Float32BufferAttribute, Group, InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3,
} from 'three';

/** Of length one along y. */
function boneGeometry() {
  const [at, width] = [0.15, 0.075];
  const ring = [[width, 0], [0, width], [-width, 0], [0, -width]].map(([x, z]) => [x, at, z]);
  const faces = ring.flatMap((corner, i) => {
    const next = ring[(i + 1) % 4];
    return [[corner, next, [0, 0, 0]], [next, corner, [0, 1, 0]]];
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(faces.flat(2), 3));
  geometry.computeVertexNormals();
  return geometry;
}

const up = new Vector3(0, 1, 0);

export class Bones {
  root = new Group();
  #material = new MeshStandardMaterial({
    roughness: 0.6, transparent: true, opacity: 0.85, depthTest: false, depthWrite: false,
  });
  #links;
  #knobs;
  #pairs;

  /** @param {import('./character.js').Character} character */
  constructor(character) {
    this.character = character;
    this.#pairs = pairsOf(character);
    const make = (geometry, count) => {
      const mesh = new InstancedMesh(geometry, this.#material, Math.max(2 * count, 1)); // of a second character too
      mesh.frustumCulled = false;
      this.root.add(mesh);
      return mesh;
    };
    this.#links = make(boneGeometry(), this.#pairs.length);
    this.#knobs = make(new SphereGeometry(1, 12, 8), character.bones.length);
    this.root.renderOrder = 4;
    this.root.visible = false;
  }

  setTheme(name) {
    this.#material.color.set(name === 'dark' ? 0x8cc4ff : 0x2a66d8);
  }

  show() {
    if (!this.root.visible) return;
    const matrix = new Matrix4();
    const [from, to, size] = [new Vector3(), new Vector3(), new Vector3()];
    const turn = new Quaternion();
    let [links, knobs] = [0, 0];
    for (const { nodes } of this.character.shown) {
      const lengths = [];
      for (const [parent, child] of this.#pairs) {
        from.setFromMatrixPosition(nodes[parent].matrixWorld);
        to.setFromMatrixPosition(nodes[child].matrixWorld).sub(from);
        const length = to.length();
        if (!(length > 0)) continue;
        lengths.push(length);
        turn.setFromUnitVectors(up, to.divideScalar(length));
        this.#links.setMatrixAt(links++, matrix.compose(from, turn, size.setScalar(length)));
      }
      const radius = 0.06 * (lengths.sort((a, b) => a - b)[lengths.length >> 1] ?? 1);
      for (const i of this.character.bones) {
        from.setFromMatrixPosition(nodes[i].matrixWorld);
        this.#knobs.setMatrixAt(knobs++, matrix.compose(from, turn.identity(), size.setScalar(radius)));
      }
    }
    for (const [mesh, count] of [[this.#links, links], [this.#knobs, knobs]]) {
      mesh.count = count;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}

/** Each bone with the nearest above it, as places in `nodes`. */
function pairsOf({ actors: [{ nodes }], bones }) {
  const known = new Map(bones.map((i) => [nodes[i], i]));
  return bones.flatMap((i) => {
    for (let node = nodes[i].parent; node; node = node.parent) {
      if (known.has(node)) return [[known.get(node), i]];
    }
    return [];
  });
}
