// The engine in WebAssembly against the command: the same scene, solver and step give the same bits, and fast
// enough to be played with.
//   node check.mjs MODULE COMMAND SCENES WORK
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [modulePath, command, scenes, work] = process.argv.slice(2);
const steps = 1000;
mkdirSync(work, { recursive: true });

// As little of a system under it as a browser page would give.
const nothing = () => 0;
const { instance } = await WebAssembly.instantiate(readFileSync(modulePath), {
    wasi_snapshot_preview1: new Proxy({}, { get: () => nothing }),
});
const engine = instance.exports;
engine._initialize();

const put = (text) => {
    const bytes = new TextEncoder().encode(text);
    new Uint8Array(engine.memory.buffer, engine.room(bytes.length), bytes.length).set(bytes);
    return bytes.length;
};
const get = (at, length) => new TextDecoder().decode(new Uint8Array(engine.memory.buffer, at, length));
const message = () => get(engine.message(), engine.messageLength());
const hash = () => BigInt.asUintN(64, engine.stateHash()).toString(16).padStart(16, '0');

function open(file, solver = '', integrator = '', step = 0) {
    assert.ok(engine.openScene(put(readFileSync(file, 'utf8'))), message());
    assert.ok(engine.choose(put(`${solver}\n${integrator}`), step), message());
}

/** What the command says after the same steps. */
function native(file, solver, integrator, step) {
    const options = ['run', file, '-o', join(work, 'run'), '--no-page', '--duration', `${steps * step}`, '--step', `${step}`];
    if (solver) options.push('--solver', solver);
    if (integrator) options.push('--integrator', integrator);
    execFileSync(command, options, { stdio: ['ignore', 'pipe', 'pipe'] });
    const summary = JSON.parse(readFileSync(join(work, 'run', 'summary.json'), 'utf8'));
    assert.equal(summary.steps, steps);
    return summary.state_hash;
}

const scene = (name) => join(scenes, `${name}.json`);
const chain = (name, ...options) => {
    const file = join(work, `${name}.json`);
    execFileSync(command, ['make', 'chain', ...options, '-o', file]);
    return file;
};

const cases = [
    ['humanoid'], ['humanoid', 'baraff', 'implicit'], ['humanoid', 'baraff', 'hernandez', 1 / 240],
    ['humanoid', 'featherstone', 'rk4', 1 / 1000], ['free_chain', 'armstrong_green', 'semi_implicit_euler', 1 / 1000],
    ['humanoid', 'kkt', 'explicit_euler', 1 / 2000],
    ['hakenberg', 'hakenberg', 'rk4', 1 / 1000], ['free_chain', 'baraff', 'conservative', 1 / 60],
    ['double_pendulum'], ['hand'], ['robot'], ['standing'], ['strand'], ['finger', 'armstrong_green', 'bands', 1 / 100],
    ['slope'], ['bounce'], ['fourbar'], ['pyramid'], ['fountain'], ['sparks'], ['projectile', '', '', 1 / 100],
];
for (const [name, solver = '', integrator = '', step = 1 / 60] of cases) {
    open(scene(name), solver, integrator, step);
    assert.equal(engine.advance(steps), steps, message());
    const expected = native(scene(name), solver, integrator, step);
    const what = `${name} ${solver} ${integrator}`.trim();
    assert.equal(hash(), expected, `${what}: other bits after ${steps} steps`);
    console.log(`${what}: ${steps} steps of ${step.toPrecision(3)} s, state ${expected} in both`);
}

// Springs between bodies, gusts and a medium, which no shipped scene has.
{
    const file = join(work, 'tied.json');
    const shape = (radius) => [{ type: 'capsule', radius, length: 0.3 }];
    writeFileSync(file, JSON.stringify({
        sinew: 1,
        bodies: [{ name: 'a', position: [0, 1, 0], shapes: shape(0.05) },
            { name: 'b', position: [0.5, 0.8, 0.1], shapes: shape(0.04), angular_velocity: [1, 2, 0] },
            { name: 'c', position: [0.5, 0.4, 0.1], shapes: shape(0.03) }],
        joints: [{ name: 'j', type: 'spherical', first: 'b', second: 'c', position: [0.5, 0.6, 0.1] }],
        springs: [{ first: 'a', second: { point: [0, 2, 0] }, stiffness: 300, damping: 1, turn_stiffness: 2 },
            { first: 'a', second: { body: 'c', sphere: { center: [0.5, 0.4, 0.1], radius: 0.3 } }, stiffness: 1e4 },
            { first: 'b', second: { path: { points: [[0, 1.2, 0], [0.5, 1.1, 0.4], [1, 1.3, 0]], smooth: true } },
                stiffness: 500, acts: 'pull' }],
        medium: { viscosity: 0.2, density: 1.2 },
        fields: [{ type: 'gusts', speed: 5, size: 0.8, duration: 0.5, seed: 3 },
            { type: 'vortex', radius: 0.5, speed: 3 },
            { type: 'attractor', position: [1, 1, 1], strength: 2, exponent: 1, softening: 0.2 }],
    }));
    for (const [solver, integrator, step] of [['', '', 1 / 60], ['baraff', 'implicit', 1 / 60], ['featherstone', 'rk4', 1 / 1000]]) {
        open(file, solver, integrator, step);
        assert.equal(engine.advance(steps), steps, message());
        const expected = native(file, solver, integrator, step);
        assert.equal(hash(), expected, `tied ${solver} ${integrator}: other bits after ${steps} steps`);
        console.log(`tied ${solver} ${integrator}: ${steps} steps, state ${expected} in both`);
    }
}

// What was done by hand here is replayed by the command, and here, to the same state.
const recording = () => {
    const at = engine.recording();
    return get(at, engine.recordingLength());
};
{
    open(scene('hand'), 'featherstone', 'implicit', 1 / 100);
    const run = (count) => assert.equal(engine.advance(count), count, message());
    run(11);
    engine.grab(3, 0.001, 0.002, 1 / 3000, 0.1, 0.2, 0.1);
    run(7);
    engine.moveGrab(0.05, 1 / 7, 0.1);
    engine.push(0, 0.01, 0, 0.02, 0.01, 0.02, 1 / 300);
    run(13);
    assert.ok(engine.change(0, -1.62, 0, 2.5, 1 / 3, 0, 0, 1), message());
    run(17);
    assert.ok(engine.choose(put('baraff\nimplicit'), 1 / 120), message());
    run(5);
    engine.release();
    run(5);
    assert.ok(engine.reset());
    run(31);
    engine.push(0, 0, 0, 0, 0, 0.01, 0);
    const [text, end] = [recording(), hash()];
    assert.match(text.split('\n').at(-2), new RegExp(`"step": 89, "state_hash": "${end}"`));
    const file = join(work, 'interaction.jsonl');
    writeFileSync(file, text);
    execFileSync(command, ['run', scene('hand'), '--replay', file, '--no-page', '-o', join(work, 'replay')], { stdio: 'pipe' });
    const summary = JSON.parse(readFileSync(join(work, 'replay', 'summary.json'), 'utf8'));
    assert.equal(summary.state_hash, end, 'the command replays to another state');

    assert.ok(engine.replay(put(text)), message());
    assert.equal(engine.stepsToReplay(), 89);
    run(40);
    assert.notEqual(hash(), end);
    run(engine.stepsToReplay());
    assert.equal(hash(), end, 'the engine replays to another state');
    assert.equal(engine.stepsToReplay(), 0);
    assert.equal(recording(), text);
    assert.equal(engine.replay(put('{}')), 0);
    assert.match(message(), /no recording/);
    assert.equal(hash(), end, 'what is no recording changes nothing');
    assert.ok(engine.replay(put(text)), message());
    run(20);
    engine.release(); // a hand takes over
    assert.equal(engine.stepsToReplay(), 0);
    console.log(`hand: 89 steps with hands on it, replayed to state ${end} in both`);
}

// A scene that cannot be, and one after it that can.
assert.equal(engine.openScene(put('{"sinew": 1, "bodies": 3}')), 0);
assert.match(message(), /bodies/);
open(scene('humanoid'));
assert.equal(engine.choose(put('nobody\n'), 0), 0);
assert.match(message(), /no solver 'nobody'/);

// What a menu offers is what the engine takes: the conservative step knows no targets.
const offered = () => {
    const at = engine.info();
    return JSON.parse(get(at, engine.infoLength())).integrators.map(({ name }) => name);
};
open(scene('free_chain'));
assert.ok(offered().includes('conservative'));
open(scene('hand'));
assert.ok(offered().includes('implicit') && !offered().includes('conservative'));
assert.equal(engine.choose(put('baraff\nconservative'), 0), 0);
assert.match(message(), /does not support obstacles and targets/);

// How many times faster than the clock, best of some: other work on the machine must not count.
function headroom(file, step) {
    open(file, '', '', step);
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
