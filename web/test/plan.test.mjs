// Planned motion: what was planned and how it was found is plotted, and wishes at moments come and go.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canRun, command, out, picture, sceneFile, scrub, shot, test, withKeptPage } from './harness.mjs';

if (canRun('planned motion')) await testPlan();

/** A table without quotes. @returns {Record<string, number>[]} */
function table(file) {
  const [names, ...rows] = readFileSync(file, 'utf8').trim().split('\n').map((line) => line.split(','));
  return rows.map((row) => Object.fromEntries(row.map((x, i) => [names[i], Number(x)])));
}

async function testPlan() {
  const folder = join(out, 'spacetime_particle');
  execFileSync(command, ['optimize', sceneFile('spacetime_particle'), '-o', folder, '--quiet'], { stdio: 'pipe' });
  const page = join(folder, 'index.html');
  const plan = table(join(folder, 'plan.csv'));
  const search = table(join(folder, 'iterations.csv'));
  const plot = (open, title) => open.locator(`.plot[aria-label="${title}"]`);
  const readouts = async (open, title) => (await plot(open, title).locator('output').allTextContents()).map((x) => Number(x.replace('−', '-').replace('e−', 'e-')));
  const close = (a, b) => assert.ok(Math.abs(a - b) <= 1e-3 * Math.abs(b) + 1e-9, `${a} is not ${b}`);

  await test('forces and cost over time go with the clock', () => withKeptPage(page, {}, async (open) => {
    for (const part of [0.25, 0.75]) {
      await scrub(open, part);
      const row = plan.filter(({ time }) => time <= 2 * part + 1e-9).at(-1);
      const shown = await readouts(open, 'Planned forces');
      [1, 2, 3].forEach((k, i) => close(shown[i], row[`particle.force${k}`]));
      close((await readouts(open, 'Cost so far'))[0], row.force_squared);
    }
    const area = await plot(open, 'Cost so far').locator('.area').boundingBox();
    await open.mouse.click(area.x + 46 + 0.5 * (area.width - 54), area.y + 60);
    assert.match(await open.locator('#clock').textContent(), /^1\.00 /);
  }));

  await test('cost and infeasibility over iterations are read under the pointer and leave the clock alone', () => withKeptPage(page, {}, async (open) => {
    const clock = await open.locator('#clock').textContent();
    const area = plot(open, 'Infeasibility').locator('.area');
    await area.scrollIntoViewIfNeeded();
    assert.equal(await area.getAttribute('aria-label'), 'Infeasibility over iterations');
    close((await readouts(open, 'Infeasibility'))[0], search.at(-1).infeasibility);
    const box = await area.boundingBox();
    await open.mouse.move(box.x + 46 + 1, box.y + 60);
    close((await readouts(open, 'Infeasibility'))[0], search[0].infeasibility);
    close((await readouts(open, 'Cost of the plan'))[0], search[0].cost);
    await open.mouse.click(box.x + box.width - 9, box.y + 60);
    close((await readouts(open, 'Cost of the plan'))[0], search.at(-1).cost);
    assert.equal(await open.locator('#clock').textContent(), clock);
    // The axis has powers of ten: the line falls over most of its height.
    assert.ok(search[0].infeasibility > 1e3 * search.at(-1).infeasibility);
    await shot(open, 'test_plan');
  }));

  await test('the line to a wish is there about its moment only', () => withKeptPage(page, {}, async (open) => {
    const lines = () => open.evaluate(() => window.sinew.wishes().filter(({ line }) => line).map(({ name }) => name));
    const states = () => open.evaluate(() => window.sinew.wishes().map(({ met }) => met));
    await scrub(open, 0.25);
    assert.deepEqual(await lines(), []);
    await scrub(open, 0.5);
    assert.deepEqual(await lines(), ['through']);
    assert.deepEqual(await states(), [true, false]);
    await scrub(open, 0.75);
    assert.deepEqual([await lines(), await states()], [[], [true, false]], 'what was met stays met');
    await scrub(open, 1);
    assert.deepEqual([await lines(), await states()], [['arrives'], [true, true]]);
    const shown = await picture(open);
    await open.keyboard.press('w');
    const hidden = await picture(open);
    assert.ok(!shown.equals(hidden), 'the switch hides them');
    await open.keyboard.press('w');
    assert.ok(!hidden.equals(await picture(open)), 'and shows them');
  }));
}
