// Runs the tests of the viewer: node web/test.mjs [NAME …], where NAME is that of a file test/NAME.test.mjs.
// Needs `npm ci` and Debian's chromium; pages and pictures go to web/out/.
import { readdirSync } from 'node:fs';
import { finish } from './test/harness.mjs';

const asked = process.argv.slice(2);
const folder = new URL('test/', import.meta.url);
const all = readdirSync(folder).filter((file) => file.endsWith('.test.mjs')).map((file) => file.slice(0, -'.test.mjs'.length));
for (const name of asked) {
  if (!all.includes(name)) throw new Error(`no tests are called '${name}', but ${all.join(', ')}`);
}
for (const name of asked.length ? asked : all) await import(new URL(`${name}.test.mjs`, folder));
await finish();
