// Pictures of a page as readers see it: node web/dev/look.mjs PAGE.html OUT [part …] gives OUT_{light,dark,phone}_PART.png.
import { chromium } from 'playwright-core';

const [page, out, ...parts] = process.argv.slice(2);
const looks = {
  light: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light', deviceScaleFactor: 2, hasTouch: true },
};
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium' });
for (const [name, look] of Object.entries(looks)) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...look });
  const open = await context.newPage();
  open.on('pageerror', (error) => console.log(name, error.message));
  open.on('console', (message) => message.type() === 'error' && console.log(name, message.text()));
  const start = Date.now();
  await open.goto(`file://${page}`);
  await open.evaluate(() => window.sinew?.ready.catch(() => {}));
  console.log(name, 'ready after', Date.now() - start, 'ms');
  for (const part of parts.length ? parts : ['0', '0.5', '1']) {
    await open.locator('#timeline').evaluate((range, p) => {
      range.value = Number(range.min) + p * (range.max - range.min);
      range.dispatchEvent(new Event('input'));
    }, Number(part));
    await open.waitForTimeout(300);
    await open.screenshot({ path: `${out}_${name}_${part}.png` });
  }
  await context.close();
}
await browser.close();
