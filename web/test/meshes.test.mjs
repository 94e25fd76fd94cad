// Spring meshes: of a recorded run, and live.
import assert from 'node:assert/strict';
import { canRun, picture, runPage, sceneFile, scrub, shot, test, withPage } from './harness.mjs';

if (canRun('flag')) {
  await test('a flag plays, and blows live', async () => {
    await withPage(runPage(sceneFile('flag'), '--duration', '0.5'), {}, async (page) => {
      const first = await picture(page);
      await scrub(page, 0.9);
      assert.ok(!first.equals(await picture(page)));
      const live = await page.evaluate(async () => {
        await window.sinew.live.start();
        window.sinew.live.pause();
        const { motion } = window.sinew.live.simulation();
        const places = () => {
          const out = new Float32Array(3 * motion.meshes[0].vertices);
          motion.meshAt(0, 0, out);
          return [...out];
        };
        const before = places();
        window.sinew.live.steps(10);
        const after = places();
        return { moved: Math.max(...after.map((x, i) => Math.abs(x - before[i]))), finite: after.every(Number.isFinite) };
      });
      assert.ok(live.finite && live.moved > 0.01, JSON.stringify(live));
      await shot(page, 'test_flag_live');
    });
  });
}
