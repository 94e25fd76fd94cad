// The project's own scenes, where the command is built.
import assert from 'node:assert/strict';
import { canRun, picture, runScene, scrub, shot, test, withPage, write } from './harness.mjs';

for (const name of ['humanoid', 'robot_arm', 'hand', 'free_chain']) {
  if (!canRun(name)) continue;
  await test(`${name} plays`, async () => {
    const file = write(name, await runScene(name));
    for (const [kind, options] of Object.entries({
      desk: { colorScheme: 'light' },
      phone: { colorScheme: 'dark', viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
    })) {
      await withPage(file, options, async (page) => {
        const first = await picture(page);
        await scrub(page, 0.35);
        assert.ok(!first.equals(await picture(page)));
        await shot(page, `test_${name}_${kind}`);
      });
    }
  });
}
