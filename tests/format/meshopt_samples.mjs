// Writes tests/data/meshopt_samples.json: streams of every mode and filter, and what the decoder that comes with
// three.js makes of them. Run by hand in web/: node ../tests/format/meshopt_samples.mjs
//
// There is no encoder here: streams are made at random in the form that the specification gives them, which
// reaches every code that an encoder could choose.
import {writeFileSync} from 'node:fs';
import {MeshoptDecoder} from '../../web/node_modules/three/examples/jsm/libs/meshopt_decoder.module.js';

let seed = 12345;
const random = (n) => {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return Math.floor(seed / 65536) % n;
};
const bytes = (n) => Array.from({length: n}, () => random(256));

function attributes(count, stride) {
  const out = [0xa0], most = Math.min(256, Math.floor(8192 / stride) & ~15);
  for (let first = 0; first < count; first += most) {
    const size = Math.min(most, count - first), groups = Math.ceil(size / 16);
    for (let k = 0; k < stride; ++k) {
      const modes = Array.from({length: groups}, () => random(4));
      for (let g = 0; g < groups; g += 4)
        out.push(modes.slice(g, g + 4).reduce((sum, mode, i) => sum | mode << 2 * i, 0));
      for (const mode of modes) {
        if (mode === 3) out.push(...bytes(16));
        if (mode !== 1 && mode !== 2) continue;
        const packed = bytes(mode === 1 ? 4 : 8), bits = 2 * mode, all = (1 << bits) - 1;
        out.push(...packed);
        for (const byte of packed)
          for (let shift = 8 - bits; shift >= 0; shift -= bits)
            if ((byte >> shift & all) === all) out.push(random(256));
      }
    }
  }
  return [...out, ...bytes(Math.max(stride, 32))];
}

const varying = (value) => (value < 128 ? [value] : [value & 127 | 128, ...varying(value >>> 7)]);

function triangles(count, version) {
  const codes = [], data = [], table = [0x00, ...bytes(15).map((b) => b % 15 | (b >> 4) % 15 << 4)];
  for (let i = 0; i < count / 3; ++i) {
    let code = i === 0 ? 0xf0 : random(256);
    codes.push(code);
    if (code < 0xf0 && (code & 15) === 15) data.push(...varying(random(5000)));
    if (code >= 0xfe) {
      const pair = random(256);
      data.push(pair);
      for (const named of [code === 0xff, pair >> 4 === 15, (pair & 15) === 15])
        if (named) data.push(...varying(random(5000)));
    }
  }
  return [0xe0 + version, ...codes, ...data, ...table];
}

function indices(count) {
  const out = [0xd1];
  for (let i = 0; i < count; ++i) out.push(...varying(random(9000)));
  return [...out, ...bytes(4)];
}

await MeshoptDecoder.ready;
const samples = [];
function sample(mode, count, stride, stream, filter = 'NONE') {
  const target = new Uint8Array(count * stride);
  MeshoptDecoder.decodeGltfBuffer(target, count, stride, Uint8Array.from(stream), mode, filter);
  const text = (list) => Buffer.from(list).toString('base64');
  samples.push({mode, count, stride, filter, stream: text(stream), bytes: text(target)});
}
for (const [count, stride] of [[1, 4], [16, 12], [37, 16], [300, 8], [70, 256], [520, 16]])
  sample('ATTRIBUTES', count, stride, attributes(count, stride));
for (const version of [0, 1]) sample('TRIANGLES', 600, version ? 2 : 4, triangles(600, version));
for (const stride of [2, 4]) sample('INDICES', 200, stride, indices(200));
sample('ATTRIBUTES', 512, 8, attributes(512, 8), 'QUATERNION');
sample('ATTRIBUTES', 64, 12, attributes(64, 12), 'EXPONENTIAL');
sample('ATTRIBUTES', 512, 4, attributes(512, 4), 'OCTAHEDRAL');
sample('ATTRIBUTES', 512, 8, attributes(512, 8), 'OCTAHEDRAL');
writeFileSync(new URL('../data/meshopt_samples.json', import.meta.url), JSON.stringify(samples, null, 1) + '\n');
