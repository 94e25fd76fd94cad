// Particles: of a recorded run, and live.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canRun, out, picture, runPage, sceneFile, scrub, shot, test, withPage } from './harness.mjs';

for (const name of ['fountain', 'sparks', 'projectile']) {
  if (!canRun(name)) continue;
  await test(`${name} plays, and runs live`, async () => {
    const file = runPage(sceneFile(name), '--duration', '3');
    await withPage(file, { colorScheme: name === 'sparks' ? 'dark' : 'light' }, async (page) => {
      const first = await picture(page);
      await scrub(page, 0.6);
      assert.ok(!first.equals(await picture(page)));
      await shot(page, `test_${name}`);
      const live = await page.evaluate(async () => {
        await window.sinew.live.start();
        window.sinew.live.pause();
        window.sinew.live.steps(60);
        const simulation = window.sinew.live.simulation();
        const { count, places, sizes, colors } = simulation.motion.present(0);
        return { count, lengths: [places.length, sizes.length, colors.length], time: simulation.time, finite: places.every(Number.isFinite) };
      });
      assert.ok(live.count > 0 && live.finite, JSON.stringify(live));
      assert.deepEqual(live.lengths, [3 * live.count, live.count, 4 * live.count]);
      await shot(page, `test_${name}_live`);
    });
  });
}

if (canRun('many particles')) {
  await test('a page too small for all particles says so', async () => {
    const scene = JSON.parse(readFileSync(sceneFile('fountain'), 'utf8'));
    scene.particles = [{ ...scene.particles[0], rate: 60000, most: 120000 }];
    const file = join(out, 'many_particles.json');
    writeFileSync(file, JSON.stringify(scene));
    await withPage(runPage(file, '--duration', '2.5'), {}, async (page) => {
      assert.match(await page.locator('#status').textContent(), /one particle in \d+ of the run is here/);
      await shot(page, 'test_many_particles');
    });
  });
}
