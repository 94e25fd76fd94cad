// A made-up character for tests: a flat strip from y = 0 to 2 on two bones, one at 0 and one at 1, in two clips.
// 'bend' turns the upper bone by a right angle about z, 'slide' moves the lower one along x and takes longer.

/** Half of a right angle about z, as a quaternion. */
const half = Math.fround(Math.SQRT1_2);
/** 4 × 4 pixels of one colour. */
export const paint = [214, 31, 200];
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAEUlEQVR42mO4Jn8CjhiI4wAA1FIb0QU/b+IAAAAASUVORK5CYII=';

/** The keys, as the file has them. */
export const bend = { times: [0, 0.5, 1], rotations: [[0, 0, 0, 1], [0, 0, half, half], [0, 0, 0.6, 0.8].map(Math.fround)] };
export const slide = { times: [0, 2], x: [0, 0.5] };

/**
 * @param {{size?: number, names?: string[], image?: object}} options units that a metre has; names of the two bones;
 *   another picture than the painted one; what is done to the document before it is packed, with its binary chunk
 * @returns {Buffer} GLB
 */
export function stripGlb({ size = 1, names = ['lower', 'upper'], image, change = () => undefined } = {}) {
  const rows = [0, 0.5, 1, 1.5, 2];
  const width = 0.25;
  const parts = [];
  const [bufferViews, accessors] = [[], []];
  const put = (bytes) => {
    const byteOffset = parts.reduce((sum, part) => sum + part.length, 0);
    parts.push(Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]));
    bufferViews.push({ buffer: 0, byteOffset, byteLength: bytes.length });
    return bufferViews.length - 1;
  };
  const add = (type, numbers, range = false) => {
    const per = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 }[type];
    const array = numbers instanceof Array ? new Float32Array(numbers) : numbers;
    const componentType = { Float32Array: 5126, Uint16Array: 5123, Uint8Array: 5121 }[array.constructor.name];
    const accessor = { bufferView: put(Buffer.from(array.buffer)), componentType, count: array.length / per, type };
    const column = (k) => Array.from(array).filter((_, i) => i % per === k);
    if (range) {
      accessor.min = Array.from({ length: per }, (_, k) => Math.min(...column(k)));
      accessor.max = Array.from({ length: per }, (_, k) => Math.max(...column(k)));
    }
    accessors.push(accessor);
    return accessors.length - 1;
  };
  const corners = rows.flatMap((y) => [-width, width].map((x) => [x, y]));
  const weight = (y) => Math.min(Math.max(y - 0.5, 0), 1); // of the upper bone
  const attributes = {
    POSITION: add('VEC3', corners.flatMap(([x, y]) => [size * x, size * y, 0]), true),
    NORMAL: add('VEC3', corners.flatMap(() => [0, 0, 1])),
    TEXCOORD_0: add('VEC2', corners.flatMap(([x, y]) => [x / (2 * width) + 0.5, y / 2])),
    JOINTS_0: add('VEC4', new Uint8Array(corners.flatMap(() => [0, 1, 0, 0]))),
    WEIGHTS_0: add('VEC4', corners.flatMap(([, y]) => [1 - weight(y), weight(y), 0, 0])),
  };
  const faces = rows.slice(1).flatMap((_, i) => [0, 1, 3, 0, 3, 2].map((k) => 2 * i + k));
  const indices = add('SCALAR', new Uint16Array(faces));
  const shifted = (y) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, y, 0, 1];
  const clip = (name, node, path, input, output) => ({
    name, samplers: [{ input, output, interpolation: 'LINEAR' }], channels: [{ sampler: 0, target: { node, path } }],
  });
  const gltf = {
    asset: { version: '2.0', copyright: 'made for tests' },
    scene: 0, scenes: [{ nodes: [0, 1] }],
    nodes: [{ mesh: 0, skin: 0 }, { name: names[0], children: [2] }, { name: names[1], translation: [0, size, 0] }],
    meshes: [{ primitives: [{ attributes, indices, material: 0 }] }],
    materials: [{ doubleSided: true, pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicFactor: 0 } }],
    textures: [{ source: 0 }],
    images: [image ?? { mimeType: 'image/png', bufferView: put(Buffer.from(png, 'base64')) }],
    skins: [{ joints: [1, 2], inverseBindMatrices: add('MAT4', [...shifted(0), ...shifted(-size)]) }],
    animations: [
      clip('bend', 2, 'rotation', add('SCALAR', bend.times, true), add('VEC4', bend.rotations.flat())),
      clip('slide', 1, 'translation', add('SCALAR', slide.times, true), add('VEC3', slide.x.flatMap((x) => [size * x, 0, 0]))),
    ],
    bufferViews, accessors,
  };
  const bin = Buffer.concat(parts);
  gltf.buffers = [{ byteLength: bin.length }];
  return pack(gltf, change(gltf, bin) ?? bin);
}

/**
 * All float views through EXT_meshopt_compression, byte by byte as large as they were; gives the new binary chunk.
 * The places of what they were are left to a buffer without bytes.
 */
export function meshopted(gltf, bin) {
  const parts = [bin];
  let end = bin.length;
  gltf.buffers.push({ byteLength: bin.length, extensions: { EXT_meshopt_compression: { fallback: true } } });
  for (const { bufferView, componentType, type, count } of gltf.accessors) {
    if (componentType !== 5126) continue;
    const view = gltf.bufferViews[bufferView];
    const stride = { SCALAR: 4, VEC2: 8, VEC3: 12, VEC4: 16, MAT4: 64 }[type];
    const raw = bin.subarray(view.byteOffset, view.byteOffset + view.byteLength);
    const groups = Math.ceil(count / 16);
    const stream = [0xa0];
    for (let k = 0; k < stride; ++k) {
      for (let g = 0; g < groups; g += 4) stream.push(0xff);
      for (let i = 0; i < 16 * groups; ++i) {
        const at = (n) => (n < 0 ? 0 : raw[Math.min(n, count - 1) * stride + k]);
        const step = (at(i) - at(i - 1)) << 24 >> 24;
        stream.push((step << 1 ^ step >> 31) & 255);
      }
    }
    stream.push(...new Array(Math.max(stride, 32)).fill(0));
    const extension = { buffer: 0, byteOffset: end, byteLength: stream.length, byteStride: stride, count, mode: 'ATTRIBUTES' };
    Object.assign(view, { buffer: 1, extensions: { EXT_meshopt_compression: extension } });
    parts.push(Buffer.from(stream), Buffer.alloc(-stream.length & 3));
    end += stream.length + (-stream.length & 3);
  }
  gltf.extensionsUsed = gltf.extensionsRequired = ['EXT_meshopt_compression'];
  const all = Buffer.concat(parts);
  gltf.buffers[0].byteLength = all.length;
  return all;
}

function pack(gltf, bin) {
  const text = Buffer.from(JSON.stringify(gltf));
  const json = Buffer.concat([text, Buffer.alloc(-text.length & 3, ' ')]);
  const words = (...numbers) => Buffer.from(new Uint32Array(numbers).buffer);
  const length = 12 + 8 + json.length + 8 + bin.length;
  return Buffer.concat([words(0x46546c67, 2, length), words(json.length, 0x4e4f534a), json, words(bin.length, 0x004e4942), bin]);
}
