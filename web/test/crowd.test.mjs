// Crowds: many characters in one page, each moving by itself.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { canRun, command, out, picture, scrub, shot, test, withPage } from './harness.mjs';

if (canRun('crowd')) {
  await test('a crowd stands apart, moves, and leaves the picture when the page goes live', async () => {
    const examples = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..', '..', 'examples', 'crowd');
    const folder = join(out, 'crowd');
    execFileSync(command, ['crowd', join(examples, 'dangling.json'), '--vary', join(examples, 'dangling.vary.json'), '--count', '40',
      '--show', '30', '--duration', '1', '-o', folder], { stdio: ['ignore', 'pipe', 'pipe'] });
    await withPage(join(folder, 'index.html'), {}, async (page) => {
      const first = await picture(page);
      await scrub(page, 0.8);
      assert.ok(!first.equals(await picture(page)), 'nothing moves');
      assert.match(await page.locator('body').innerText(), /30 of 40 characters/);
      await shot(page, 'test_crowd');
      const places = await page.evaluate(() => window.sinew.crowd());
      assert.equal(places.length, 29); // around the first one
      assert.ok(places.flat().every(Number.isFinite));
      // No two of them hang in the same place.
      const apart = Math.min(...places.flatMap((a, i) => places.slice(i + 1).map((b) => Math.hypot(a[0] - b[0], a[2] - b[2]))));
      assert.ok(apart > 0.2, `two are ${apart} m apart`);
      await page.evaluate(() => window.sinew.live.start());
      assert.deepEqual(await page.evaluate(() => window.sinew.crowd()), []);
    });
  });
}
