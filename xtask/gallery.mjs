// Pictures of replay pages: node gallery.mjs BROWSER_TESTS page.html picture.png share [page picture share …]
// BROWSER_TESTS is the folder that has playwright-core installed; share says where in the run, 0 to 1.
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [tests, ...words] = process.argv.slice(2);
const { chromium } = createRequire(`${tests}/`)('playwright-core');
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const args = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];
const browser = await chromium.launch({ executablePath, args });
const context = await browser.newContext({ viewport: { width: 900, height: 620 }, colorScheme: 'light' });

for (let k = 0; k + 2 < words.length; k += 3) {
  const [page, picture, share] = words.slice(k, k + 3);
  const tab = await context.newPage();
  const errors = [];
  tab.on('pageerror', (error) => errors.push(error.message));
  tab.on('console', (message) => { if (message.type() === 'error') errors.push(message.text()); });
  await tab.goto(`${pathToFileURL(page)}#paused`);
  await tab.waitForFunction(() => window.stiction?.ready, null, { timeout: 30000 });
  await tab.evaluate((at) => window.stiction.seek(Math.round(at * (window.stiction.frames - 1))), Number(share));
  await tab.waitForTimeout(500);
  await tab.locator('#stage').screenshot({ path: picture });
  await tab.close();
  if (errors.length) throw new Error(`${page}: ${errors.join('; ')}`);
}
await browser.close();
