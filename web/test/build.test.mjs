// What needs no browser: the bundle and the rule for embedding.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from '../build.mjs';
import { evilName } from '../dev/kitchen_sink.mjs';
import { embed, markers, toScriptJson } from '../embed.mjs';
import { scratch, test, viewer } from './harness.mjs';

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
  const places = `${markers.data}|${markers.character}|${markers.engine}`;
  const filled = embed(places, { ...value, about: markers.engine }, 'H4sI', Buffer.from('glTF')).split('|');
  assert.deepEqual(JSON.parse(filled[0]), { ...value, about: markers.engine });
  assert.deepEqual(filled.slice(1), ['Z2xURg==', 'H4sI']);
});
