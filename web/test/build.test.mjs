// What needs no browser: the bundle, the rule for embedding, and the readers that development uses.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from '../build.mjs';
import { evilName } from '../dev/kitchen_sink.mjs';
import { massProperties } from '../dev/mass.mjs';
import { parseJsonWithComments, splitCsvLine } from '../dev/text.mjs';
import { embed, markers, toScriptJson } from '../embed.mjs';
import { viewer } from '../make_data.mjs';
import { scratch, test } from './harness.mjs';

await test('the committed page is what the sources build to', async () => {
  const fresh = join(scratch, 'viewer.html');
  const size = await buildPage(fresh);
  assert.ok(readFileSync(fresh).equals(readFileSync(viewer)), 'run node web/build.mjs and commit web/dist');
  assert.ok(size < 1.5e6, `the page has ${size} bytes`);
});

await test('the page refers to nothing outside itself', () => {
  const html = readFileSync(viewer, 'utf8').replace(/<script>[^]*<\/script>/, '');
  assert.doesNotMatch(html, /\b(src|href)\s*=|@import|url\(/);
});

await test('embedded data holds no < and reads back the same', () => {
  const value = { name: evilName, other: '<!-- $& $1 & \u2028 "' };
  assert.ok(!toScriptJson(value).includes('<'));
  assert.deepEqual(JSON.parse(toScriptJson(value)), value);
  const filled = embed(`${markers.data}|${markers.engine}`, { ...value, about: markers.engine }, 'H4sI').split('|');
  assert.deepEqual(JSON.parse(filled[0]), { ...value, about: markers.engine });
  assert.equal(filled[1], 'H4sI');
});

await test('comments in scenes and quotes in CSV are read as documented', () => {
  assert.deepEqual(parseJsonWithComments('{"a": "//no", /* x */ "b": [1] // "y"\n}'), { a: '//no', b: [1] });
  assert.deepEqual(splitCsvLine('time,"a,b.px","say ""hi"".px",c'), ['time', 'a,b.px', 'say "hi".px', 'c']);
});

await test('a box and its corners as a mesh have the same mass and inertia', () => {
  const place = { position: [1, 2, 3], orientation: [0.5, 0.5, 0.5, 0.5] };
  const vertices = [-1, 1].flatMap((x) => [-2, 2].flatMap((y) => [-3, 3].map((z) => [x, y, z])));
  const box = massProperties({ shapes: [{ type: 'box', size: [2, 4, 6], ...place }] });
  const mesh = massProperties({ shapes: [{ type: 'mesh', vertices, ...place }] });
  const rounding = 1e-9 * box.inertia[0][0];
  box.inertia.flat().forEach((x, i) => assert.ok(Math.abs(x - mesh.inertia.flat()[i]) < rounding));
});
