// Live mode in a browser, with the engine itself. Time is driven through `sinew.live`, so that no machine is too slow.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { kitchenSink } from '../dev/kitchen_sink.mjs';
import { packEngine } from '../embed.mjs';
import { Engine, unpackEngine } from '../src/engine.js';
import {
  canRun, colored, command, drawn, engineFile, overlaps, picture, runPage, sceneFile, scratch, scrub, shot, test, withKeptPage, withPage, write,
} from './harness.mjs';

const distance = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));

/** Places of the page that the tests use, and the simulation's own words. */
function handles(page) {
  const call = (name) => (...args) => page.evaluate(([n, a]) => window.sinew.live[n](...a), [name, args]);
  return {
    start: call('start'), steps: call('steps'), reset: call('reset'), position: call('position'),
    onScreen: call('onScreen'), readout: call('readout'),
    state: () => page.evaluate(() => {
      const { changes, info, held, diverged, time } = window.sinew.live.simulation();
      return { changes, info, held, diverged, time };
    }),
    slide: (name, place) => page.getByRole('slider', { name, exact: true }).evaluate((range, p) => {
      range.value = Math.round(p * range.max);
      range.dispatchEvent(new Event('input'));
    }, place),
    menu: (name, value) => page.getByRole('combobox', { name, exact: true }).selectOption(value),
    text: (name) => page.getByRole('slider', { name, exact: true }).getAttribute('aria-valuetext'),
    status: () => page.locator('#status').textContent(),
    banner: page.locator('#banner'),
    pressed: (name) => page.getByRole('button', { name, exact: true }).getAttribute('aria-pressed'),
  };
}

await test('a page without the engine says so when asked to go live', () =>
  withPage(write('no_engine', kitchenSink()), {}, async (page) => {
    await page.locator('#live-switch').click({ force: true });
    assert.match(await page.locator('#status').textContent(), /No live mode: .* without the engine/);
  }));

if (existsSync(engineFile) && canRun('live mode')) await testLive(readFileSync(engineFile));
else console.log(`SKIP  live mode: ${engineFile} is not there; SINEW_ENGINE may name another`);

async function testLive(module) {
  const humanoid = runPage(sceneFile('humanoid'), '--duration', '1');
  const chain = runPage(sceneFile('free_chain'), '--duration', '1');
  const phone = { hasTouch: true, viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, colorScheme: 'dark' };

  /** A page in live mode that stands still. */
  const live = (file, options, run) => withPage(file, options, async (page) => {
    const at = handles(page);
    await at.start();
    await drawn(page);
    await run(page, at);
  });

  /** The page of the tests before, live, with the scene's own settings and from its start. */
  const again = (run, options = {}) => withKeptPage(humanoid, options, async (page) => {
    const at = handles(page);
    await at.start();
    await page.evaluate(() => {
      const simulation = window.sinew.live.simulation();
      simulation.choose((window.atFirst ??= simulation.info));
      simulation.change(simulation.own);
      window.sinew.live.reset();
    });
    await drawn(page);
    await run(page, at);
  });

  await test('the engine is unpacked and speaks for itself', async () => {
    assert.deepEqual(Buffer.from(await unpackEngine(packEngine(module))), module);
    const engine = await Engine.load(module);
    assert.throws(() => engine.open({ sinew: 1, bodies: [] }), (error) => error.message.length > 5);
    const info = engine.open(JSON.parse(readFileSync(join(dirname(chain), 'scene.json'), 'utf8')));
    assert.throws(() => engine.choose('featherstone', 'no such thing', 0), /no such thing/);
    assert.equal(engine.advance(10), 10);
    assert.ok(Math.abs(engine.time - 10 * info.step) < 1e-12);
    assert.equal(engine.series().length, info.columns.length);
  });

  await test('the switch goes live from a file and back to the recording', () => withKeptPage(humanoid, {}, async (page) => {
    await page.locator('#live-switch').click();
    await page.waitForFunction(() => document.documentElement.hasAttribute('data-live'));
    const first = await picture(page);
    await page.locator('#play').click();
    await page.waitForFunction(() => window.sinew.live.simulation().time > 0.3);
    await page.locator('#play').click();
    assert.ok(!first.equals(await picture(page)));
    assert.ok(await page.locator('#live').isVisible());
    assert.match(await page.locator('#clock').textContent(), /^\d\.\d\d slive$/);
    await page.locator('#reset').click();
    assert.ok(first.equals(await picture(page)), 'reset brings the start back');
    await page.locator('#picture').focus();
    await page.keyboard.press('v');
    assert.ok(!(await page.locator('#live').isVisible()));
    assert.match(await page.locator('#clock').textContent(), /0\.00 \/ 1\.00 s/);
  }));

  await test('a hand dragged by half a metre follows', () => again(async (page, at) => {
    const before = await at.position('right_hand');
    const [from, to] = [await at.onScreen('right_hand'), await at.onScreen('right_hand', [0.3, -0.4, 0])];
    const camera = await at.onScreen('left_hand');
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 5 });
    const { held } = await at.state();
    assert.ok(Math.abs(distance(held.to, before) - 0.5) < 0.1, `pulled by ${distance(held.to, before)} m`);
    await at.steps(30);
    await shot(page, 'test_live_drag');
    await at.steps(150);
    const after = await at.position('right_hand');
    assert.ok(distance(after, held.to) < 0.12, `${after} is not at ${held.to}`);
    await page.mouse.up();
    assert.equal((await at.state()).held, undefined);
    const still = await at.onScreen('left_hand');
    assert.ok(Math.hypot(still.x - camera.x, still.y - camera.y) < 40, 'the camera stayed');
    await at.steps(60);
    assert.ok(distance(await at.position('right_hand'), held.to) > 0.2, 'it falls when let go');
  }));

  await test('sliders drive the joint of the chosen body', () => again(async (page, at) => {
    await page.selectOption('#body', { label: 'right_forearm' });
    const joint = async () => (await at.state()).info.joints.find(({ name }) => name === 'right_elbow');
    const before = await at.position('right_hand');
    await at.slide('Torque', 0.95);
    assert.match(await at.text('Torque'), /^\d+ N m$/);
    assert.ok((await joint()).torque[0] > 50, JSON.stringify(await joint()));
    await at.steps(5);
    assert.ok(distance(await at.position('right_hand'), before) > 0.01);
    await page.getByRole('button', { name: 'Restore' }).click();
    assert.equal((await joint()).torque[0], 0);
    assert.equal(await at.text('Torque'), 'off');
  }));

  /** All that was done, again, by the command: the same state as here. */
  async function replayedByCommand(page, scene, name) {
    const { text, hash } = await page.evaluate(() => {
      const simulation = window.sinew.live.simulation();
      return { text: simulation.recording, hash: simulation.stateHash.toString(16).padStart(16, '0') };
    });
    const file = join(scratch, `${name}.jsonl`);
    writeFileSync(file, text);
    execFileSync(command, ['run', scene, '--replay', file, '--no-page', '-o', join(scratch, name)], { stdio: 'pipe' });
    assert.equal(JSON.parse(readFileSync(join(scratch, name, 'summary.json'), 'utf8')).state_hash, hash);
    return text;
  }

  await test('spring, limits and a motor of any joint are set by sliders and repeated to the same bits', () => again(async (page, at) => {
    await page.getByRole('combobox', { name: 'Joint', exact: true }).selectOption('right_elbow');
    const joint = async () => (await at.state()).info.joints.find(({ name }) => name === 'right_elbow');
    await page.getByText('Spring and limits').click();
    await page.getByText('Motor', { exact: true }).click();
    const first = await joint();
    await at.slide('Spring', 0.8);
    assert.match(await at.text('Spring'), / N m\/rad$/);
    assert.ok((await joint()).spring > 10 * first.spring);
    await at.slide('Upper', 0.6);
    const { upper, lower } = await joint();
    assert.ok(upper[0] > 0 && upper[0] < 1 && lower[0] === first.lower[0], JSON.stringify([lower, upper]));
    await at.slide('Upper', 0.1);
    assert.match(await at.status(), /Not possible: \/joint\/upper: is .*, below the lower limit/);
    assert.equal((await joint()).upper[0], upper[0], 'what is refused changes nothing');
    await at.slide('Upper', 1);
    assert.deepEqual((await joint()).upper, []);
    assert.equal(await at.text('Upper'), 'none');
    await at.slide('Speed', 0.9);
    const { motor } = await joint();
    assert.ok(motor.speed[0] > 1 && motor.damping > 0 && motor.stiffness === 0, JSON.stringify(motor));
    await at.slide('Strength', 0.5);
    const before = await at.position('right_hand');
    await at.steps(10);
    assert.ok(distance(await at.position('right_hand'), before) > 0.01);
    await page.getByRole('button', { name: 'Torques act' }).click();
    assert.equal(await at.pressed('Torques act'), 'false');
    assert.equal((await joint()).acts, false);
    await at.steps(10);
    await shot(page, 'test_live_joint');
    const text = await replayedByCommand(page, sceneFile('humanoid'), 'joint');
    for (const verb of ['joint', 'motor', 'switch']) assert.match(text, new RegExp(`"${verb}"`));
    await page.getByRole('button', { name: 'Restore' }).click();
    const { spring, motor: gone, acts } = await joint();
    assert.deepEqual([spring, gone, acts], [first.spring, null, true]);
  }));

  await test('gains of balance and gait are sliders, too', () =>
    withPage(runPage(sceneFile('walk'), '--duration', '0.2'), { colorScheme: 'light' }, async (page) => {
      const at = handles(page);
      await at.start();
      const balance = async () => (await at.state()).info.balances[0];
      const first = await balance();
      await at.slide('Sole', 0.5);
      assert.equal((await balance()).sole, 0.55);
      await page.getByRole('combobox', { name: 'State', exact: true }).selectOption(first.gait.states[1].name);
      await at.slide('Lean', 0.7);
      const { gait } = await balance();
      assert.equal(gait.states[0].lean, first.gait.states[0].lean);
      assert.ok(gait.states[1].lean > 0.1);
      await at.slide('Heading', 0.6);
      assert.ok((await balance()).gait.heading > 0.3);
      const { walks } = gait;
      await page.getByRole('button', { name: 'Walk', exact: true }).click();
      assert.equal((await balance()).gait.walks, !walks);
      await at.steps(5);
      await shot(page, 'test_live_walk');
      await replayedByCommand(page, sceneFile('walk'), 'walk');
      await page.getByRole('button', { name: 'Restore' }).click();
      assert.deepEqual(await balance(), { ...first, gait: { ...first.gait, walks: (await balance()).gait.walks } });
    }));

  await test('keys hold, move and let go of the chosen body', () => again(async (page, at) => {
    await page.selectOption('#body', { label: 'right_hand' });
    await page.locator('#picture').focus();
    const before = await at.position('right_hand');
    await page.keyboard.press('h');
    assert.match(await at.status(), /Holding right_hand: arrow keys/);
    for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowUp');
    await page.keyboard.press('PageUp');
    const { held } = await at.state();
    assert.ok(held.to[1] > before[1] + 0.1, `${held.to}`);
    await at.steps(120);
    assert.ok(distance(await at.position('right_hand'), held.to) < 0.15);
    await page.keyboard.press('Escape');
    assert.equal((await at.state()).held, undefined);
    await page.getByRole('button', { name: 'Hold right_hand' }).click();
    assert.ok((await at.state()).held);
    await page.keyboard.press('r');
    const { held: after, time } = await at.state();
    assert.deepEqual([after, time], [undefined, 0]);
  }));

  await test('explicit Euler flies apart and is told; reset and the implicit step hold', () => again(async (page, at) => {
    await at.menu('Integrator', 'explicit_euler');
    await at.slide('Stiffness', 1);
    assert.equal((await at.state()).changes.stiffness, 10000);
    for (let i = 0; i < 50 && !(await at.state()).diverged; i++) await at.steps(60);
    const { diverged } = await at.state();
    assert.ok(diverged, 'it holds');
    assert.ok((await at.banner.textContent()).includes(diverged));
    await shot(page, 'test_live_diverged');
    await at.banner.getByRole('button', { name: 'Reset' }).click();
    assert.ok(!(await at.banner.isVisible()));
    assert.equal((await at.state()).time, 0);
    await at.menu('Integrator', 'implicit');
    const start = (await at.readout()).energy;
    await at.steps(600);
    const { diverged: again, time } = await at.state();
    assert.equal(again, undefined);
    assert.ok(Math.abs(time - 10) < 1e-9);
    assert.ok((await at.readout()).energy < start, 'the implicit step and the dampers take energy');
  }));

  await test('sliders and switches change what they say', () => again(async (page, at) => {
    await at.slide('Gravity', 0);
    assert.equal(await at.text('Gravity'), '−20.00 m/s²');
    assert.deepEqual((await at.state()).info.gravity, [0, -9.81, 0], 'the info is that of the scene’s opening');
    await at.slide('Step', 1);
    assert.equal(await at.text('Step'), '1/20 s');
    assert.equal((await at.state()).info.step, 0.05);
    const before = await at.position('chest');
    await at.steps(6);
    assert.ok((await at.position('chest'))[1] > before[1] + 0.1, 'it falls up');
    await at.slide('Damping', 0);
    assert.equal(await at.text('Damping'), 'off');
    await page.getByRole('slider', { name: 'Damping' }).press('ArrowRight');
    assert.equal(await at.text('Damping'), '0.01 ×');
    await page.getByRole('button', { name: 'Joint torques', exact: true }).click();
    const { changes } = await at.state();
    assert.deepEqual(changes, { gravity: -20, stiffness: 1, damping: 0.01, torques: false });
    assert.equal(await at.pressed('Joint torques'), 'false');
    await page.getByRole('button', { name: 'Restore' }).click();
    assert.deepEqual((await at.state()).changes, { gravity: 9.81, stiffness: 1, damping: 1, torques: true });
    assert.equal(await at.text('Step'), '1/60 s');
  }));

  await test('only pairs that go together are chosen, and refusals change nothing', () => again(async (page, at) => {
    await at.menu('Integrator', 'conservative');
    let { info } = await at.state();
    assert.deepEqual([info.solver, info.integrator], ['baraff', 'conservative']);
    assert.equal(await page.getByRole('combobox', { name: 'Solver' }).inputValue(), 'baraff');
    await at.menu('Solver', 'featherstone');
    ({ info } = await at.state());
    assert.equal(info.solver, 'featherstone');
    assert.notEqual(info.integrator, 'conservative');
    await at.menu('Solver', 'armstrong_green'); // which knows ball joints only
    assert.match(await at.status(), /Not possible: .+/);
    assert.equal((await at.state()).info.solver, 'featherstone');
    assert.equal(await page.getByRole('combobox', { name: 'Solver' }).inputValue(), 'featherstone');
    await at.steps(10);
    assert.equal((await at.state()).diverged, undefined);
  }));

  await test('a drag beside the figure turns the view and touches nothing', () => again(async (page, at) => {
    const before = await at.onScreen('right_hand');
    await page.mouse.move(150, 480);
    await page.mouse.down();
    await page.mouse.move(250, 480, { steps: 3 });
    assert.equal((await at.state()).held, undefined);
    await page.mouse.up();
    const after = await at.onScreen('right_hand');
    assert.ok(Math.hypot(after.x - before.x, after.y - before.y) > 10);
  }));

  await test('a frame has a budget, and long steps are shown in between', () => again(async (page) => {
    const [late, between] = await page.evaluate(() => {
      const simulation = window.sinew.live.simulation();
      simulation.run(1e4, 1);
      const end = simulation.time;
      simulation.reset();
      simulation.choose({ step: 0.05 });
      return [end, [simulation.run(0.075, 1), simulation.time]];
    });
    assert.ok(late < 1e4, `${late} s in one frame`);
    assert.ok(Math.abs(between[0] - 0.025) < 1e-9 && Math.abs(between[1] - 0.05) < 1e-9, `${between}`);
  }));

  /** Whether the figure moves when it is pushed so. @param act gets the place of the chest in the picture */
  const pushed = async (page, at, act) => {
    await at.reset();
    await at.steps(12);
    const calm = await at.position('chest');
    await at.reset();
    await drawn(page);
    await act(await at.onScreen('chest'));
    await at.steps(12);
    const moved = distance(await at.position('chest'), calm);
    assert.ok(moved > 0.05, `moved by ${moved} m`);
    assert.equal((await at.state()).held, undefined);
  };

  await test('a push moves the figure, by shift-click and by key', () => again(async (page, at) => {
    await pushed(page, at, async ({ x, y }) => {
      await page.keyboard.down('Shift');
      await page.mouse.click(x, y);
      await page.keyboard.up('Shift');
      assert.match(await at.status(), /Pushed chest with .* N s/);
      await shot(page, 'test_live_push');
    });
    await page.selectOption('#body', { label: 'chest' });
    await page.locator('#picture').focus();
    await pushed(page, at, () => page.keyboard.press('p'));
  }));

  await test('a finger pulls too', () => again(async (page, at) => {
    const before = await at.position('right_foot');
    const [from, to] = [await at.onScreen('right_foot'), await at.onScreen('right_foot', [0, 0.3, 0])];
    const finger = await page.context().newCDPSession(page);
    const send = (type, ...touchPoints) => finger.send('Input.dispatchTouchEvent', { type, touchPoints });
    await send('touchStart', from);
    await send('touchMove', { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 });
    await send('touchMove', to);
    await drawn(page);
    const { held } = await at.state();
    assert.ok(Math.abs(held.to[1] - before[1] - 0.3) < 0.1, `${before} is pulled to ${held.to}`);
    await at.steps(90);
    assert.ok(distance(await at.position('right_foot'), held.to) < 0.2);
    await send('touchEnd');
    await drawn(page);
    assert.equal((await at.state()).held, undefined);
  }, phone));

  await test('live mode fits a phone, in the dark too', () => again(async (page, at) => {
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    assert.deepEqual(await overlaps(page), []);
    await at.steps(40);
    await shot(page, 'test_live_phone');
  }, phone));

  await test('a push moves the figure by tap', () => again(async (page, at) => {
    await page.getByRole('button', { name: 'Push', exact: true }).tap();
    assert.equal(await at.pressed('Push'), 'true');
    await pushed(page, at, ({ x, y }) => page.touchscreen.tap(x, y));
  }, phone));

  await test('where a scene has no springs, stiffness and damping are added', () => live(chain, {}, async (page, at) => {
    assert.equal(await at.text('Stiffness'), 'off');
    const { energy } = await at.readout();
    await at.steps(1000);
    const kept = await at.readout();
    assert.ok(Math.abs(kept.energy - energy) < 1e-6 * energy, 'the free chain keeps its energy');
    assert.ok(Math.abs(kept.change) < 1e-6 * energy && Math.abs(kept.percent) < 1e-4);
    await at.slide('Damping', 0.3); // much more is too stiff for the explicit step of this scene
    assert.match(await at.text('Damping'), / N m s\/rad$/);
    await at.steps(1000);
    assert.ok((await at.readout()).change < -1e-3 * energy, 'now it loses some');
    await at.slide('Stiffness', 0.5);
    assert.match(await at.text('Stiffness'), / N m\/rad$/);
    await shot(page, 'test_live_chain');
  }));

  await test('what was done is saved, replayed here, and replayed by the command to the same state', () => live(humanoid, {}, async (page, at) => {
    const hash = () => page.evaluate(() => window.sinew.live.simulation().stateHash.toString(16).padStart(16, '0'));
    await at.steps(10);
    const [from, to] = [await at.onScreen('right_hand'), await at.onScreen('right_hand', [0.3, -0.2, 0])];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 3 });
    await at.steps(20);
    await page.mouse.up();
    await at.slide('Gravity', 0.6);
    const { changes } = await at.state();
    await at.steps(10);
    await page.locator('#reset').click();
    await at.slide('Gravity', 0.9);
    await at.menu('Integrator', 'implicit_euler');
    await at.steps(20);
    const end = await hash();

    const [saved] = await Promise.all([
      page.waitForEvent('download'), page.getByRole('button', { name: 'Save recording', exact: true }).click()]);
    assert.equal(saved.suggestedFilename(), 'humanoid.interaction.jsonl');
    const file = join(scratch, 'saved.jsonl');
    await saved.saveAs(file);
    assert.match(await at.status(), new RegExp(`Saved 60 steps, to state ${end}`));
    execFileSync(command, ['run', sceneFile('humanoid'), '--replay', file, '--no-page', '-o', join(scratch, 'replay')], { stdio: 'pipe' });
    assert.equal(JSON.parse(readFileSync(join(scratch, 'replay', 'summary.json'), 'utf8')).state_hash, end);

    // By hand, half way: settings and hand are as they were then.
    await page.evaluate(() => window.sinew.live.replay());
    await at.steps(20);
    assert.ok((await at.state()).held, 'the hand is seen again');
    await shot(page, 'test_live_replay');
    await at.steps(15);
    const then = await at.state();
    assert.equal(then.held, undefined);
    assert.ok(Math.abs(then.changes.gravity - changes.gravity) < 1e-12);
    // By the button, in the midst of it, from the start to the end, where it stops.
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.waitForFunction(() => /^Replayed/.test(document.querySelector('#status').textContent));
    assert.equal(await at.status(), `Replayed 60 steps to the same state, ${end}.`);
    assert.equal((await at.state()).info.integrator, 'implicit_euler');
    assert.equal(await hash(), end);
    // Who touches it meanwhile takes over.
    await page.evaluate(() => window.sinew.live.replay());
    await at.steps(5);
    await at.slide('Gravity', 0.5);
    await at.steps(100);
    assert.doesNotMatch(await at.status(), /Replayed/);
  }));

  await test('half a minute is kept, plotted, traced and can be looked back at', () => live(humanoid, {}, async (page, at) => {
    await page.selectOption('#body', { label: 'right_foot' });
    await at.steps(65 * 60);
    const kept = await page.evaluate(() => {
      const { motion, info } = window.sinew.live.simulation();
      const { times } = motion;
      const rising = times.every((time, i) => i === 0 || time > times[i - 1]);
      const width = 7 * motion.bodies;
      const smooth = motion.poses.every((x, i) => i < width || i % 7 > 2 || Math.abs(x - motion.poses[i - width]) < 0.3);
      const whole = info.columns.length * times.length === motion.values.length && width * times.length === motion.poses.length;
      return { count: times.length, start: motion.start, end: motion.end, rising, smooth, whole };
    });
    assert.deepEqual({ ...kept, start: Math.round(kept.start), end: Math.round(kept.end) },
      { count: 1800, start: 35, end: 65, rising: true, smooth: true, whole: true });
    await page.locator('#picture').focus(); // whose frame is part of the picture
    const now = await picture(page);
    await page.locator('#timeline').evaluate((range) => {
      range.value = Number(range.min) + 1;
      range.dispatchEvent(new Event('input'));
    });
    assert.ok(!now.equals(await picture(page)));
    assert.match(await page.locator('#clock').textContent(), /2[89]\.\d\d s ago/);
    await page.keyboard.press('End');
    assert.ok(now.equals(await picture(page)));
    await shot(page, 'test_live_history');
  }));

  await test('contacts of the running simulation are drawn, and those of the recording before', () =>
    withPage(runPage(sceneFile('slope'), '--duration', '0.5'), { colorScheme: 'light' }, async (page) => {
      const violet = [[110, 40, 230], 70];
      const drawnArrows = async () => colored(page, await picture(page), ...violet);
      await page.keyboard.press('c');
      await scrub(page, 1);
      assert.ok((await drawnArrows()) > 100, 'none of the recording');
      const at = handles(page);
      await at.start();
      await at.steps(20);
      assert.ok((await drawnArrows()) > 100, 'none of the simulation');
      const weight = await page.evaluate(() => {
        const { motion } = window.sinew.live.simulation();
        return motion.contactsAt(motion.end).reduce((sum, x, i) => sum + (i % 6 === 4 ? x : 0), 0);
      });
      // Two boxes of 24 kg; the one that slides is borne by 0.95 of its weight.
      assert.ok(weight > 0.95 * 48 * 9.8 && weight < 48 * 9.82, `${weight} N bear the boxes`);
      await shot(page, 'test_live_contacts');
    }));
}
