// Live mode keeps all bodies in the picture, until a hand turns the view.
import assert from 'node:assert/strict';
import { canRun, runPage, sceneFile, test, withPage } from './harness.mjs';

const desk = { viewport: { width: 900, height: 600 }, colorScheme: 'light', reducedMotion: 'reduce' };

/** How far the farthest corner of a body is from the middle of the picture; 1 is its edge. */
const farthest = (page) => page.evaluate(() => {
  const { stage } = window.sinew.debug;
  const { camera, poses, figure } = stage;
  camera.updateMatrixWorld();
  const [turn, place] = [camera.quaternion.clone(), camera.position.clone()];
  return Math.max(...figure.corners.flatMap((corners, i) => corners.map((corner) => {
    turn.fromArray(poses, 7 * i + 3);
    const { x, y, z } = corner.clone().applyQuaternion(turn).add(place.fromArray(poses, 7 * i)).project(camera);
    return z > 1 ? Infinity : Math.max(Math.abs(x), Math.abs(y));
  })));
});

const scenes = ['bounce', 'throw', 'double_pendulum'];
if (canRun('framing')) {
  for (const name of scenes) {
    await test(`${name} stays in the picture, recorded and live under three times its gravity`, () =>
      withPage(runPage(sceneFile(name), '--duration', '2'), desk, async (page) => {
        await page.evaluate(() => window.sinew.ready);
        const times = await page.evaluate(() => Array.from(window.sinew.debug.stage.motion.times).filter((_, i) => i % 3 === 0));
        for (const time of times) {
          await page.evaluate((at) => window.sinew.debug.stage.show(at), time);
          assert.ok((await farthest(page)) < 1, `cropped at ${time} s`);
        }
        await page.evaluate(() => window.sinew.live.start());
        await page.evaluate(() => {
          window.sinew.live.pause();
          const simulation = window.sinew.live.simulation();
          simulation.change({ gravity: 3 * simulation.changes.gravity });
        });
        for (let i = 0; i < 40; i++) {
          await page.evaluate(() => window.sinew.live.steps(4));
          assert.ok((await farthest(page)) < 1, `cropped after ${4 * (i + 1)} steps`);
        }
        if (name !== 'bounce') return;
        // A hand on the view is not contradicted.
        await page.mouse.move(120, 500);
        await page.mouse.down();
        await page.mouse.move(160, 480);
        await page.mouse.up();
        const camera = () => page.evaluate(() => window.sinew.debug.stage.camera.position.toArray());
        const before = await camera();
        await page.evaluate(() => window.sinew.live.steps(150));
        assert.deepEqual(await camera(), before);
      }));
  }
}
