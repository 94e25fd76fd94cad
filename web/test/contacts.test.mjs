// Contacts and obstacles: values of frames, where dots and arrows stand, the switch and its legend, all kinds of obstacles.
import assert from 'node:assert/strict';
import { Box3, Matrix4, Quaternion, Vector3 } from 'three';
import { kitchenSink } from '../dev/kitchen_sink.mjs';
import { Contacts } from '../src/contacts.js';
import { LiveMotion, RecordedMotion } from '../src/motion.js';
import { Obstacles } from '../src/obstacles.js';
import { colored, picture, shot, test, withPage, write } from './harness.mjs';

const scene = { bodies: [{ name: 'ball' }], joints: [], contact: true };

/** One body that stands still and contacts per frame. @param {number[][][]} frames six numbers a contact */
function recorded(frames, count = frames.length, every = 1) {
  return new RecordedMotion({
    scene, times: Array.from({ length: count }, (_, i) => i), poses: new Float32Array(7 * count),
    series: { names: [], values: new Float32Array(), leftOut: 0 },
    contacts: { every, counts: frames.map((list) => list.length), values: new Float32Array(frames.flat(2)) },
  });
}

function places({ meshes: [mesh] }) {
  return Array.from({ length: mesh.count }, (_, i) => {
    const [place, turn, scale] = [new Vector3(), new Quaternion(), new Vector3()];
    const matrix = new Matrix4();
    mesh.getMatrixAt(i, matrix);
    matrix.decompose(place, turn, scale);
    return { place, turn, scale };
  });
}

const near = (a, b, what) => assert.ok(Math.abs(a - b) < 1e-5, `${what}: ${a}, not ${b}`);
const one = [1, 0, 2, 0, 90, 0];

await test('a time has the contacts of the frame before it', () => {
  const motion = recorded([[], [one], [one, [5, 6, 7, 8, 9, 10]]]);
  assert.equal(motion.contactsAt(0.9).length, 0);
  assert.deepEqual([...motion.contactsAt(1.5)], one);
  assert.deepEqual([...motion.contactsAt(7)].slice(6), [5, 6, 7, 8, 9, 10]);
  const thinned = recorded([[one], []], 4, 2);
  assert.deepEqual([1, 2].map((time) => thinned.contactsAt(time).length), [6, 0]);
});

await test('a running simulation keeps the contacts of its frames, and forgets them with the frames', () => {
  const bodies = 10000; // so many that the past is the shortest
  const motion = new LiveMotion(bodies, []);
  const poses = new Float32Array(7 * bodies);
  for (let i = 0; i < 400; i++) motion.put(i / 50, poses, [], new Float32Array(6).fill(i));
  assert.ok(motion.times.length < 200, 'the first frames are gone');
  motion.times.forEach((time) => near(motion.contactsAt(time + 1e-6)[0], Math.round(50 * time), 'the contact'));
});

await test('a contact is a dot and an arrow along its force, as long as the legend says', () => {
  const contacts = new Contacts(scene, recorded([[], [one]]), { reach: 4, cell: 0.5 });
  assert.ok(contacts.isPossible && !contacts.missing);
  // 90 N over a quarter of the reach are 45 N to a cell, rounded to 50.
  assert.deepEqual(contacts.scale, { force: 50, cut: false });
  contacts.show(1);
  assert.equal(places(contacts.dots).length, 64, 'what is switched off is not drawn anew');
  contacts.root.visible = true;
  contacts.show(1);
  const [dot] = places(contacts.dots);
  const [shaft] = places(contacts.arrows.shafts);
  const [head] = places(contacts.arrows.heads);
  near(dot.place.distanceTo(new Vector3(1, 0, 2)), 0, 'the dot');
  near(shaft.place.distanceTo(dot.place), 0, 'the arrow');
  near(shaft.scale.y + head.scale.y, (90 / 50) * 0.5, 'its length');
  near(new Vector3(0, 1, 0).applyQuaternion(shaft.turn).y, 1, 'its direction');
  contacts.show(0);
  assert.deepEqual([contacts.dots, contacts.arrows.shafts].map((copies) => places(copies).length), [0, 0]);
});

await test('more contacts than there was room for are all drawn', () => {
  const many = Array.from({ length: 333 }, (_, i) => [i, 0, 0, 0, 10, 0]);
  const contacts = new Contacts(scene, recorded([many]), { reach: 4, cell: 0.5 });
  contacts.root.visible = true;
  contacts.show(0);
  for (const copies of [contacts.dots, contacts.arrows.shafts, contacts.arrows.heads]) assert.equal(places(copies).length, 333);
  places(contacts.dots).forEach(({ place }, i) => near(place.x, i, 'a dot'));
});

await test('pages without contacts say so', () => {
  const motion = new RecordedMotion({ scene, times: [0], poses: new Float32Array(7), series: { names: [], values: new Float32Array(), leftOut: 0 } });
  assert.match(new Contacts(scene, motion, { reach: 1, cell: 1 }).missing, /no contacts/);
});

const corners = [[0, 0, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]];
const kinds = [
  [{ type: 'sphere', radius: 0.3, position: [0, 1, 0] }, [-0.3, 0.7, -0.3], [0.3, 1.3, 0.3]],
  [{ type: 'box', size: [1, 2, 3], orientation: [0, 0, Math.SQRT1_2, Math.SQRT1_2] }, [-1, -0.5, -1.5], [1, 0.5, 1.5]],
  [{ type: 'capsule', radius: 0.25, length: 0.5 }, [-0.25, -0.5, -0.25], [0.25, 0.5, 0.25]],
  [{ type: 'cylinder', radius: 0.25, length: 0.5 }, [-0.25, -0.25, -0.25], [0.25, 0.25, 0.25]],
  [{ type: 'ellipsoid', radii: [0.1, 0.2, 0.3] }, [-0.1, -0.2, -0.3], [0.1, 0.2, 0.3]],
  [{ type: 'mesh', vertices: corners }, [0, 0, 0], [1, 1, 1]],
  [{ type: 'triangles', vertices: corners, faces: [[0, 2, 1]], position: [5, 0, 0] }, [5, 0, 0], [6, 0, 1]],
  [{ type: 'height_field', columns: 3, rows: 2, spacing: 0.5, heights: [0, 1, 0, 0, 2, -1] }, [0, -1, 0], [1, 2, 0.5]],
];

await test('every kind of obstacle is drawn where it is, and planes are left to the ground', () => {
  for (const [obstacle, low, high] of kinds) {
    const { root } = new Obstacles([{ type: 'plane' }, obstacle]);
    const box = new Box3().setFromObject(root, true);
    assert.equal(root.children.length, 1);
    near(box.min.distanceTo(new Vector3(...low)), 0, `${obstacle.type}, the low corner`);
    near(box.max.distanceTo(new Vector3(...high)), 0, `${obstacle.type}, the high corner`);
  }
  assert.equal(new Obstacles([]).lowest, Infinity);
});

await test('hills are solid below: their triangles look up', () => {
  const [mesh] = new Obstacles([kinds.at(-1)[0]]).root.children;
  const { normal } = mesh.geometry.attributes;
  assert.equal(normal.count, 12);
  for (let i = 0; i < normal.count; i++) assert.ok(normal.getY(i) > 0);
});

// Where the two colours are like nothing else in the picture: arrows, and obstacles as large as the figure.
const violet = [[110, 40, 230], 70];
const sink = kitchenSink();
const pack = (numbers) => Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
const rows = sink.frames.times.map(() => [-1, 0, 1].map((x) => [x, 0, 0.3, 0, 50 + 30 * x, 0]));
const touching = {
  ...sink,
  scene: {
    ...sink.scene, contact: { friction: 0.4 },
    obstacles: [{ type: 'plane' }, ...kinds.map(([obstacle], i) => ({ ...obstacle, position: [1.2 * (i - 3.5), 0, -2] }))],
  },
  contacts: { every: 1, counts: rows.map((list) => list.length), values: pack(rows.flat(2)) },
};

await test('the switch draws contacts and says their scale', async () => {
  assert.ok(!JSON.stringify(sink.scene).includes('"contact"'));
  await withPage(write('contacts', touching), { colorScheme: 'light' }, async (page) => {
    assert.equal(await colored(page, await picture(page), ...violet), 0);
    await page.keyboard.press('c');
    assert.match(await page.locator('#legend').textContent(), /contact force, \d+ cm long = \d+ N/);
    assert.ok((await colored(page, await picture(page), ...violet)) > 150, 'no arrows');
    await shot(page, 'test_contacts');
    await page.keyboard.press('k');
    assert.match(await page.locator('#legend').textContent(), /force, .*contact force/);
    await page.keyboard.press('k');
    await page.keyboard.press('c');
    assert.ok(await page.locator('#legend').isHidden());
    assert.equal(await colored(page, await picture(page), ...violet), 0);
  });
  await withPage(write('no_contacts', sink), {}, async (page) => {
    assert.equal(await page.getByRole('button', { name: 'Contacts', exact: true }).count(), 0);
  });
});
