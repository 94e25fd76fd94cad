// Springs between bodies, to the world and to a mesh: of a recorded run, and live.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canRun, picture, runPage, scratch, scrub, shot, test, withPage } from './harness.mjs';

const scene = {
  sinew: 1,
  bodies: [
    { name: 'ball', mass: 1, position: [0, 1, 0], shapes: [{ type: 'sphere', radius: 0.12 }] },
    { name: 'weight', mass: 1, position: [0.8, 0.9, 0], shapes: [{ type: 'box', size: [0.2, 0.2, 0.2] }] },
  ],
  meshes: [{ name: 'cloth', type: 'cloth', size: [0.6, 0.6], segments: [4, 4], position: [0, 0.5, 0], mass: 0.3, stiffness: 200, collides: false }],
  springs: [
    { first: 'ball', second: { point: [0, 2, 0] }, stiffness: 60 },
    { first: 'weight', second: { point: [0.8, 1.8, 0] }, length: 1.1, stiffness: 5000, damping: 20, acts: 'pull' },
    { first: 'ball', second: { body: 'weight', sphere: { center: [0.8, 0.9, 0], radius: 0.2 } }, length: 0.4, stiffness: 3 },
    { first: { mesh: 'cloth', vertex: 0 }, second: 'ball', stiffness: 30 },
    { first: 'ball', second: 'weight', turn_stiffness: 1 },
  ],
};

if (canRun('flag')) {
  await test('springs are drawn, recorded and live', async () => {
    const file = join(scratch, 'springs.json');
    writeFileSync(file, JSON.stringify(scene));
    const page = runPage(file, '--duration', '0.5');
    // The same motion without what is to be drawn.
    const bare = join(scratch, 'bare.html');
    const text = readFileSync(page, 'utf8');
    assert.match(text, /"springs": ?\[/);
    writeFileSync(bare, text.replace(/"springs": ?\[/, '"no_springs":['));
    const seen = async (open, part, name) => {
      await scrub(open, part);
      await shot(open, name);
      return picture(open);
    };
    let without;
    await withPage(bare, {}, async (open) => {
      without = await seen(open, 0, 'test_springs_bare');
    });
    await withPage(page, {}, async (open) => {
      const early = await seen(open, 0, 'test_springs');
      assert.ok(!early.equals(without));
      assert.ok(!early.equals(await seen(open, 0.9, 'test_springs_late')));
      await open.evaluate(async () => {
        await window.sinew.live.start();
        window.sinew.live.pause();
      });
      const before = await picture(open);
      await open.evaluate(() => window.sinew.live.steps(12));
      assert.ok(!before.equals(await picture(open)));
    });
  });
}
