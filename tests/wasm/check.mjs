// The engine in WebAssembly against the command: the same scene, solver and step give the same bits.
//   node check.mjs MODULE COMMAND SCENES WORK
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, engine, get, hash, message, open, put, scene, work } from './engine.mjs';

// Five seconds of most scenes: they have met what they will meet. `make long` takes a thousand.
const steps = Number(process.env.SINEW_WASM_STEPS ?? 300);

/** What the command says after the same steps. */
function native(file, solver, integrator, step, count = steps) {
    const options = ['run', file, '-o', join(work, 'run'), '--no-page', '--duration', `${count * step}`, '--step', `${step}`];
    if (solver) options.push('--solver', solver);
    if (integrator) options.push('--integrator', integrator);
    execFileSync(command, options, { stdio: ['ignore', 'pipe', 'pipe'] });
    const summary = JSON.parse(readFileSync(join(work, 'run', 'summary.json'), 'utf8'));
    assert.equal(summary.steps, count);
    return summary.state_hash;
}

const cases = [
    ['humanoid'], ['humanoid', 'baraff', 'implicit'], ['humanoid', 'baraff', 'hernandez', 1 / 240],
    ['humanoid', 'featherstone', 'rk4', 1 / 1000], ['free_chain', 'armstrong_green', 'semi_implicit_euler', 1 / 1000],
    ['humanoid', 'kkt', 'explicit_euler', 1 / 2000],
    ['hakenberg', 'hakenberg', 'rk4', 1 / 1000], ['free_chain', 'baraff', 'conservative', 1 / 60],
    ['double_pendulum'], ['hand'], ['throw_ball'], ['standing'], ['strand'], ['finger', 'armstrong_green', 'bands', 1 / 100],
    ['double_pendulum', 'featherstone', 'dormand_prince', 1 / 60], ['free_chain', 'baraff', 'heun', 1 / 500],
    ['slope'], ['bounce'], ['fourbar'], ['pyramid'], ['fountain'], ['sparks'], ['projectile', '', '', 1 / 100],
    // Meshes take longer.
    ['jelly', '', '', 1 / 60, 40], ['soft_finger', '', '', 1 / 120, 60], ['flag', '', '', 1 / 60, 60],
];
for (const [name, solver = '', integrator = '', step = 1 / 60, count = steps] of cases) {
    open(scene(name), solver, integrator, step);
    assert.equal(engine.advance(count), count, message());
    const expected = native(scene(name), solver, integrator, step, count);
    const what = `${name} ${solver} ${integrator}`.trim();
    assert.equal(hash(), expected, `${what}: other bits after ${count} steps`);
    console.log(`${what}: ${count} steps of ${step.toPrecision(3)} s, state ${expected} in both`);
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
