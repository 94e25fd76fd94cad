// A page left live: node web/test/soak.mjs SECONDS. Its memory stays flat, its clock keeps to the wall's, and its
// figure goes on moving.
import assert from 'node:assert/strict';
import { finish, runPage, sceneFile, test, withPage } from './harness.mjs';

const seconds = Number(process.argv[2] ?? 3600);
const settled = Math.min(120, seconds / 4); // s until caches are full
const slack = 8e6; // bytes

await test(`a page is live for ${seconds} s`, () =>
  withPage(runPage(sceneFile('humanoid'), '--duration', '1'), { viewport: { width: 480, height: 360 } }, async (page) => {
    const client = await page.context().newCDPSession(page);
    await client.send('Performance.enable');
    /** Bytes after a collection, what the engine holds, and both clocks in s. */
    const look = async () => {
      await client.send('HeapProfiler.collectGarbage');
      const { metrics } = await client.send('Performance.getMetrics');
      const of = (name) => metrics.find((metric) => metric.name === name).value;
      const live = await page.evaluate(() => (
        { time: window.sinew.live.simulation().time, wall: performance.now() / 1000, late: window.late / 1000 }));
      return { heap: of('JSHeapUsedSize'), nodes: of('Nodes'), ...live };
    };
    await page.locator('#live-switch').click();
    await page.waitForFunction(() => document.documentElement.hasAttribute('data-live'));
    await page.locator('#play').click();
    // Pictures that took too long: what is late by then is given up, by design.
    await page.evaluate(() => {
      window.late = 0;
      let before = performance.now();
      const watch = (now) => {
        if (now - before > 40) window.late += now - before;
        before = now;
        requestAnimationFrame(watch);
      };
      requestAnimationFrame(watch);
    });
    const sleep = (s) => new Promise((done) => setTimeout(done, s * 1000));
    await sleep(settled);
    const first = await look();
    let last = first;
    while (last.wall - first.wall < seconds - settled) {
      await sleep(Math.min(300, seconds / 4));
      last = await look();
      console.log(`      ${last.wall.toFixed(0)} s: simulated ${last.time.toFixed(1)} s, heap ${(last.heap / 1e6).toFixed(1)} MB, ${last.nodes} nodes`);
    }
    const passed = last.wall - first.wall;
    const rate = (last.time - first.time) / passed;
    const late = (last.late - first.late) / passed;
    console.log(`      ${rate.toFixed(5)} s a second, pictures late for ${late.toFixed(5)} of the time, heap ${((last.heap - first.heap) / 1e6).toFixed(2)} MB more`);
    assert.ok(last.heap < first.heap + slack, `the heap grew from ${first.heap} to ${last.heap} bytes`);
    assert.ok(last.nodes <= first.nodes + 100, `${last.nodes} nodes, ${first.nodes} at first`);
    assert.ok(rate < 1.001 && rate > 0.99 - late, `its clock makes ${rate} s a second, late for ${late} of the time`);
  }));
await finish();
