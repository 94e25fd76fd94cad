// Wishes: the places that they speak of, and whether they are met.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { picture, runPage, scratch, scrub, shot, test, withPage } from './harness.mjs';

const scene = {
  sinew: 1,
  gravity: [0, 0, 0],
  bodies: [
    { name: 'ball', mass: 1, position: [0, 1, 0], shapes: [{ type: 'sphere', radius: 0.12 }] },
    { name: 'box', mass: 1, position: [0.8, 0.9, 0], shapes: [{ type: 'box', size: [0.2, 0.2, 0.2] }] },
  ],
  wishes: [
    { type: 'point', body: 'ball', to: [0, 1.6, 0], acts: true, weight: 40, damping: 12 },
    { type: 'surface', body: 'box', sphere: { center: [0.8, 0.2, 0], radius: 0.3 } },
    { type: 'upright', body: 'box', axis: [1, 0, 0], direction: [0, 1, 0] },
    { type: 'look_at', body: 'ball', axis: [0, 0, 1], to: 'box' },
    { type: 'pin', body: 'box' },
  ],
};

await test('wishes are drawn, where they are and whether they are met', async () => {
  const file = join(scratch, 'wishes.json');
  writeFileSync(file, JSON.stringify(scene));
  const page = runPage(file, '--duration', '3');
  const bare = join(scratch, 'bare_wishes.html');
  const text = readFileSync(page, 'utf8');
  assert.match(text, /"wishes": ?\[/);
  writeFileSync(bare, text.replace(/"wishes": ?\[/, '"no_wishes":['));
  const seen = async (open, part, name) => {
    await scrub(open, part);
    await shot(open, name);
    return picture(open);
  };
  let without;
  await withPage(bare, {}, async (open) => {
    without = await seen(open, 0, 'test_wishes_bare');
  });
  await withPage(page, {}, async (open) => {
    assert.ok(!(await seen(open, 0, 'test_wishes')).equals(without));
    await seen(open, 0.99, 'test_wishes_met');
  });
});
