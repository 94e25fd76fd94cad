// Particles: of a recorded run, and live.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pace } from '../src/pace.js';
import { canRun, out, picture, runPage, sceneFile, scrub, shot, test, withKeptPage, withPage } from './harness.mjs';

for (const name of ['fountain', 'sparks', 'projectile']) {
  if (!canRun(name)) continue;
  await test(`${name} plays, and runs live`, async () => {
    const file = runPage(sceneFile(name), '--duration', '2');
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

/** Pictures of a machine that takes so many ms for one, and so many more for each particle. @returns the pace after a while */
function played(each, fixed = 8, count = 100000, pictures = 600, levels = []) {
  const pace = new Pace();
  for (let i = 0; i < pictures; i++) {
    // A machine that others use is not as fast every time.
    const hindered = fixed > 100 ? 1 + 0.05 * Math.sin(1.7 * i * i) : 1;
    pace.tell(hindered * (fixed + each * (count / pace.oneIn) * (pace.shadows ? 2 : 1)), count);
    levels.push(pace.level);
  }
  return pace;
}

/** The level that it is at for most of the time. */
function usualLevel(...machine) {
  const levels = [];
  played(...machine, 100000, 3000, levels);
  return levels.sort((a, b) => a - b)[levels.length >> 1];
}

await test('as many particles are drawn as leave thirty pictures a second, and the rest is told', () => {
  assert.deepEqual([played(0.0001).level, played(0.0001).text], [0, '']);
  for (const each of [0.0005, 0.001, 0.005, 0.015]) {
    const { oneIn, rate, holds, text } = played(each);
    assert.ok(holds && rate > 27, `${each} ms each: ${rate} a second`);
    // And not far fewer than it could: with four times as many it would be too slow.
    assert.ok(oneIn <= 2 || 8 + (each * 4 * 100000) / oneIn > 1000 / 30, `${each} ms each: one in ${oneIn}`);
    assert.match(text, oneIn > 1 ? new RegExp(`Drawing 1 of ${oneIn} particles.* to hold 30`) : /without shadows, to hold 30/);
  }
  // No more is left out than helps.
  assert.ok(usualLevel(0.001, 200) <= 7, `${usualLevel(0.001, 200)}`);
  assert.equal(usualLevel(0, 700), 0);
  const slow = played(0.001, 200);
  assert.match(slow.text, /^Drawing .*particles.*; even so there are [34]\.\d pictures a second/);
  assert.match(played(0, 700, 100000, 595).text, /^There are 1\.\d pictures a second; to draw fewer particles does not help, so all are drawn\.$/);
  // Where the simulation is what takes long, drawing is left at what it was.
  const busy = new Pace();
  for (let i = 0; i < 100; i++) busy.tell(100, 100000, 92);
  assert.deepEqual([busy.level, busy.text], [0, 'The simulation leaves time for 10 pictures a second; all particles are drawn.']);
  assert.equal(slow.reset(), true);
  assert.deepEqual([slow.oneIn, slow.shadows, slow.text], [1, true, '']);
  assert.equal(played(1, 8, 500).level, 0, 'few are all drawn');
});

await test('a hiccup leaves nothing out, and what is too much is seldom tried again', () => {
  const pace = new Pace();
  for (let i = 0; i < 100; i++) pace.tell(i % 10 === 0 ? 300 : 16, 100000);
  assert.equal(pace.level, 0);
  let changes = 0;
  for (let i = 0, level = 0; i < 6000; i++, level = pace.level) {
    pace.tell(pace.level > 0 ? 16 : 60, 100000);
    changes += pace.level !== level;
  }
  assert.ok(changes < 16, `${changes} changes in 6000 pictures`);
});

if (canRun('many particles')) {
  const large = { viewport: { width: 1280, height: 720 } };
  await test('a page too small for all particles says so', async () => {
    const scene = JSON.parse(readFileSync(sceneFile('fountain'), 'utf8'));
    scene.particles = [{ ...scene.particles[0], rate: 60000, most: 120000 }];
    const file = join(out, 'many_particles.json');
    writeFileSync(file, JSON.stringify(scene));
    await withKeptPage(runPage(file, '--duration', '2.5'), large, async (page) => {
      assert.match(await page.locator('#status').textContent(), /one particle in \d+ of the run is here/);
      await shot(page, 'test_many_particles');
    });
  });

  await test('a hundred thousand play live thirty times a second, or the page says what it leaves out', async () => {
    const file = join(out, 'many_particles', 'index.html');
    await withKeptPage(file, large, async (page) => {
      const told = page.locator('#left-out');
      await page.evaluate(async () => {
        await window.sinew.live.start();
        window.sinew.live.steps(110);
      });
      const count = () => page.evaluate(() => window.sinew.live.simulation().motion.present(0).count);
      assert.ok((await count()) > 100000, `${await count()} particles`);
      assert.ok(!(await told.isVisible()), 'what stands still is drawn whole');
      await page.locator('#play').click();
      // Pictures of a second, over and over, until they are enough or it is said that they are not.
      const rate = await page.evaluate(async () => {
        const { hidden } = document.querySelector('#left-out');
        for (;;) {
          const start = performance.now();
          let pictures = 0;
          while (performance.now() - start < 1000) {
            await new Promise(requestAnimationFrame);
            pictures++;
          }
          const now = (1000 * pictures) / (performance.now() - start);
          if (now > 27 || document.querySelector('#left-out').hidden !== hidden) return now;
        }
      });
      console.log(`      ${rate.toFixed(1)} pictures a second: ${await told.textContent()}`);
      if (rate < 27) assert.match(await told.textContent(), /^Drawing .*particles.* pictures a second\.$|^The simulation leaves time for|does not help/);
      await page.screenshot({ path: join(out, 'test_hundred_thousand.png') });
      await page.locator('#play').click();
      await told.waitFor({ state: 'hidden' });
    });
  });
}
