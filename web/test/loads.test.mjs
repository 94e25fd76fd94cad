// Joint loads: values between frames, where arrows stand and how long they are, the switch and its legend.
import assert from 'node:assert/strict';
import { Matrix4, Quaternion, Vector3 } from 'three';
import { kitchenSink } from '../dev/kitchen_sink.mjs';
import { Loads } from '../src/loads.js';
import { RecordedMotion } from '../src/motion.js';
import { colored, picture, shot, test, withPage, write } from './harness.mjs';

/** One bone, turned by a quarter about z and shifted, tied to the world at its end: two frames with loads. */
function oneBone(rows, names = ['pin.fx', 'pin.fy', 'pin.fz', 'pin.tx', 'pin.ty', 'pin.tz'], leftOut = 0) {
  const pose = [5, 0, 0, 0, 0, Math.SQRT1_2, Math.SQRT1_2];
  const scene = {
    bodies: [{ name: 'bone', position: [1, 0, 0] }],
    joints: [{ name: 'pin', type: 'hinge', first: 'bone', second: 'world', position: [2, 0, 0] }],
  };
  const motion = new RecordedMotion({
    scene, times: rows.map((_, i) => i), poses: new Float32Array(rows.flatMap(() => pose)),
    series: { names, values: new Float32Array(rows.flat()), leftOut },
  });
  return { motion, loads: new Loads(scene, motion, { reach: 3, cell: 0.5 }), poses: new Float32Array(pose) };
}

function parts(copies) {
  const [mesh] = copies.meshes;
  return Array.from({ length: mesh.count }, (_, i) => {
    const [place, turn, scale] = [new Vector3(), new Quaternion(), new Vector3()];
    const matrix = new Matrix4();
    mesh.getMatrixAt(i, matrix);
    matrix.decompose(place, turn, scale);
    return { place, turn, scale };
  });
}

const near = (a, b, what) => assert.ok(Math.abs(a - b) < 1e-5, `${what}: ${a}, not ${b}`);

await test('values between frames lie on straight lines, and stop at the ends', () => {
  const { motion } = oneBone([[0, 10, 0, 0, 0, 0], [4, 30, 0, 0, 0, NaN]]);
  const out = new Float32Array(3);
  motion.valuesAt(0.25, [0, 1, -1], out);
  assert.deepEqual([...out], [1, 15, NaN]);
  motion.valuesAt(-1, [0, 1, 5], out);
  assert.deepEqual([...out], [0, 10, 0]);
  motion.valuesAt(7, [0, 1, 5], out);
  assert.deepEqual([...out], [4, 30, NaN]);
});

await test('a force starts at the joint on the first body, goes its way and is as long as the legend says', () => {
  const { loads, poses } = oneBone([[0, 0, 90, 0, 0, 0], [0, 0, 90, 0, 0, 0]]);
  // 90 N over a third of the reach are 45 N to a cell, rounded to 50.
  assert.deepEqual(loads.scale, { force: 50, torque: 0, cut: false });
  loads.root.visible = true;
  loads.show(0.5, poses);
  const [shaft] = parts(loads.arrows.shafts);
  const [head] = parts(loads.arrows.heads);
  // One metre along the bone, which now points along y.
  near(shaft.place.distanceTo(new Vector3(5, 1, 0)), 0, 'the place');
  near(new Vector3(0, 1, 0).applyQuaternion(shaft.turn).distanceTo(new Vector3(0, 0, 1)), 0, 'the direction');
  near(shaft.scale.y + head.scale.y, (90 / 50) * 0.5, 'the length');
  near(head.place.z, shaft.scale.y, 'the head');
  assert.equal(parts(loads.rings).length, 0);
});

await test('a torque is a ring about it; what exceeds the reach gets two heads; what is no number is not drawn', () => {
  const rows = Array.from({ length: 40 }, () => [0, 8, 0, 0, 6, 0]);
  rows[20] = [0, 800, 0, 0, NaN, 0];
  const { loads, poses } = oneBone(rows);
  assert.ok(loads.scale.cut);
  loads.root.visible = true;
  loads.show(3, poses);
  const [ring] = parts(loads.rings);
  near(new Vector3(0, 0, 1).applyQuaternion(ring.turn).distanceTo(new Vector3(0, 1, 0)), 0, 'the axis');
  near(ring.scale.x, (6 / loads.scale.torque) * 0.5, 'the diameter');
  assert.equal(parts(loads.arrows.heads).length, 1);
  loads.show(20, poses);
  assert.deepEqual([parts(loads.arrows.heads).length, parts(loads.rings).length], [2, 0]);
  near(parts(loads.arrows.heads)[0].place.y, 1 + 3 - parts(loads.arrows.heads)[0].scale.y, 'cut at the reach');
});

await test('rounding is no torque, and loads that are not there are told apart from those left out', () => {
  assert.equal(oneBone([[3, 0, 0, 1e-13, 0, 0]]).loads.scale.torque, 0);
  assert.equal(oneBone([[3, 0, 0, 1, 0, 0]]).loads.missing, '');
  assert.match(oneBone([[]], []).loads.missing, /holds no joint loads/);
  assert.match(oneBone([[]], [], 6).loads.missing, /left out/);
});

await test('a running simulation keeps the scale until it has run for a while and far exceeds it', () => {
  const { loads, poses } = oneBone([[0, 0, 90, 0, 0, 0]]);
  loads.root.visible = true;
  const run = (force, end) => {
    const { motion } = oneBone([[0, 0, 1, 0, 0, 0], [0, 0, force, 0, 0, 0], [0, 0, force, 0, 0, 0]]);
    return Object.assign(motion, { live: true, times: [0, end / 2, end] });
  };
  const scaleOf = (motion) => {
    loads.setMotion(motion);
    const first = loads.scale.force;
    motion.times = motion.times.map((time) => time + 2);
    loads.show(motion.end, poses);
    return [first, loads.scale.force];
  };
  assert.deepEqual(scaleOf(run(200, 0.1)), [50, 50]);
  assert.deepEqual(scaleOf(run(900, 0.1)), [50, 500]);
});

const sink = kitchenSink();
const file = write('kitchen_sink_loads', sink);
// The two colours are like nothing else in the picture.
const pink = [[255, 20, 90], 60];
const green = [[0, 150, 80], 60];

await test('the switch draws arrows and rings and says their scale', () => withPage(file, { colorScheme: 'light' }, async (page) => {
  // Without the buttons above the picture, whose edges may differ by a shade once they were pressed.
  const bare = () => page.evaluate(() => window.sinew.picture({ time: 1, width: 400, height: 300 }));
  const plain = await bare();
  const before = await picture(page);
  assert.deepEqual([await colored(page, before, ...pink), await colored(page, before, ...green)], [0, 0]);
  assert.ok(await page.locator('#legend').isHidden());
  await page.keyboard.press('k');
  assert.match(await page.locator('#legend').textContent(), /force, \d+ cm long = \d+ N.*torque, \d+ cm across = \d+ N m/);
  await page.keyboard.press('ArrowRight');
  const loaded = await picture(page);
  assert.ok((await colored(page, loaded, ...pink)) > 300, 'no arrows');
  assert.ok((await colored(page, loaded, ...green)) > 50, 'no rings');
  assert.ok((await bare()) !== plain, 'pictures for scripts show what is switched on');
  await shot(page, 'test_loads');
  await page.keyboard.press('ArrowRight');
  assert.ok(!loaded.equals(await picture(page)));
  await page.keyboard.press('Home');
  await page.keyboard.press('k');
  assert.ok(await page.locator('#legend').isHidden());
  assert.ok((await bare()) === plain, 'switched off it is as before');
}));

await test('where loads were left out the switch is disabled and says why', async () => {
  const names = sink.series.names.slice(0, 12);
  const lean = write('kitchen_sink_lean', {
    ...sink, series: { names, values: Buffer.alloc(4 * names.length * sink.frames.count).toString('base64'), left_out: 36 },
  });
  await withPage(lean, { viewport: { width: 390, height: 844 } }, async (page) => {
    const button = page.getByRole('button', { name: 'Loads', exact: true });
    assert.equal(await button.getAttribute('aria-disabled'), 'true');
    assert.match(await button.getAttribute('title'), /left out of this page/);
    await page.keyboard.press('k');
    assert.match(await page.locator('#legend').textContent(), /left out of this page to keep it small/);
    await shot(page, 'test_loads_left_out');
  });
});
