// Pages as the command writes them, opened from disk.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { evilName } from '../dev/kitchen_sink.mjs';
import { canRun, command, out, picture, runPage, sceneFile, scrub, shot, test, withPage } from './harness.mjs';

for (const name of ['humanoid', 'robot', 'hand', 'free_chain']) {
  if (!canRun(name)) continue;
  await test(`${name} plays`, async () => {
    const file = runPage(sceneFile(name), '--duration', '3');
    const looks = { desk: { colorScheme: 'light' } };
    if (name === 'humanoid') looks.phone = { colorScheme: 'dark', viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 };
    for (const [kind, options] of Object.entries(looks)) {
      await withPage(file, options, async (page) => {
        const first = await picture(page);
        await scrub(page, 0.35);
        assert.ok(!first.equals(await picture(page)));
        await shot(page, `test_${name}_${kind}`);
      });
    }
  });
}

if (canRun('pages of strange scenes')) {
  await test('a scene whose names would end the script is shown as text', async () => {
    const scene = JSON.parse(readFileSync(join(out, 'free_chain', 'scene.json'), 'utf8'));
    const file = join(out, 'evil.json');
    writeFileSync(file, JSON.stringify({ ...scene, name: evilName, about: `<!-- ${evilName}` }));
    await withPage(runPage(file, '--duration', '0.2'), {}, async (page) => {
      assert.equal(await page.evaluate(() => window.hacked), undefined);
      assert.equal(await page.locator('#name').textContent(), evilName);
    });
  });

  await test('a page too small for all that was recorded says what it lacks', async () => {
    const scene = join(out, 'long_chain.json');
    execFileSync(command, ['make', 'chain', '--links', '400', '--start', 'horizontal', '-o', scene]);
    await withPage(runPage(scene, '--duration', '8'), {}, async (page) => {
      assert.match(await page.locator('#status').textContent(), /left out|small/);
      const first = await picture(page);
      await scrub(page, 0.5);
      assert.ok(!first.equals(await picture(page)));
      await shot(page, 'test_long_chain');
    });
  });
}
