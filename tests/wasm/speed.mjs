// The engine in WebAssembly is fast enough to be played with.
//   node speed.mjs MODULE COMMAND SCENES WORK
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { command, engine, message, open, scene, work } from './engine.mjs';

const chain = (name, ...options) => {
    const file = join(work, `${name}.json`);
    execFileSync(command, ['make', 'chain', ...options, '-o', file]);
    return file;
};

// How many times faster than the clock, best of some: other work on the machine must not count.
function headroom(file, step) {
    open(file, '', '', step);
    assert.equal(engine.advance(300), 300, message()); // code is made quickly first, and well once it is used
    let best = 0;
    for (let part = 0; part < 8; part++) {
        const count = 30;
        const start = performance.now();
        assert.equal(engine.advance(count), count, message());
        best = Math.max(best, (1000 * count * step) / (performance.now() - start));
    }
    return best;
}
const figures = [
    ['humanoid, 60 steps a second', scene('humanoid'), 1 / 60, 5],
    ['chain of 1,000 links, 30 steps a second', chain('chain', '--links', '1000', '--start', 'horizontal'), 1 / 30, 1],
];
for (const [what, file, step, least] of figures) {
    const times = headroom(file, step);
    console.log(`${what}: ${times.toFixed(1)} times real time`);
    assert.ok(times > least, `${what}: ${times} times real time, at least ${least} is promised`);
}
