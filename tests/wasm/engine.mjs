// The engine in WebAssembly and the words that the checks use.
//   node CHECK.mjs MODULE COMMAND SCENES WORK
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const [modulePath, command, scenes, work] = process.argv.slice(2);
mkdirSync(work, { recursive: true });

// As little of a system under it as a browser page would give.
const nothing = () => 0;
const { instance } = await WebAssembly.instantiate(readFileSync(modulePath), {
    wasi_snapshot_preview1: new Proxy({}, { get: () => nothing }),
});
export const engine = instance.exports;
engine._initialize();

export const put = (text) => {
    const bytes = new TextEncoder().encode(text);
    const at = engine.room(bytes.length); // which may grow the memory, and the buffer before is then no more
    new Uint8Array(engine.memory.buffer, at, bytes.length).set(bytes);
    return bytes.length;
};
export const get = (at, length) => new TextDecoder().decode(new Uint8Array(engine.memory.buffer, at, length));
export const message = () => get(engine.message(), engine.messageLength());
export const hash = () => BigInt.asUintN(64, engine.stateHash()).toString(16).padStart(16, '0');

export function open(file, solver = '', integrator = '', step = 0) {
    assert.ok(engine.openScene(put(readFileSync(file, 'utf8'))), message());
    assert.ok(engine.choose(put(`${solver}\n${integrator}`), step), message());
}

export const scene = (name) => join(scenes, `${name}.json`);
