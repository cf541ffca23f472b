// Pictures of replay pages: node gallery.mjs BROWSER_TESTS page.html picture.png share keys [page picture share keys …]
// BROWSER_TESTS is the folder that has playwright-core installed; share says where in the run, 0 to 1; keys are pressed,
// and a digit is so many notches of the wheel.
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [tests, ...words] = process.argv.slice(2);
const { chromium } = createRequire(`${tests}/`)('playwright-core');
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const args = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];
const browser = await chromium.launch({ executablePath, args });
const context = await browser.newContext({ viewport: { width: 500, height: 640 }, colorScheme: 'light' });

for (let k = 0; k + 3 < words.length; k += 4) {
  const [page, picture, share, keys] = words.slice(k, k + 4);
  const tab = await context.newPage();
  const errors = [];
  tab.on('pageerror', (error) => errors.push(error.message));
  tab.on('console', (message) => { if (message.type() === 'error') errors.push(message.text()); });
  await tab.goto(`${pathToFileURL(page)}#paused`);
  await tab.waitForFunction(() => window.stiction?.ready, null, { timeout: 30000 });
  // the view alone, without its buttons
  await tab.addStyleTag({ content: '#layers, #modes, #notes { display: none !important }' });
  await tab.locator('#view').hover();
  for (const key of `p${keys}`) await (key >= '1' && key <= '9' ? tab.mouse.wheel(0, -100 * key) : tab.keyboard.press(key));
  await tab.evaluate((at) => window.stiction.seek(Math.round(at * (window.stiction.frames - 1))), Number(share));
  await tab.waitForTimeout(500);
  await tab.locator('#stage').screenshot({ path: picture });
  await tab.close();
  if (errors.length) throw new Error(`${page}: ${errors.join('; ')}`);
}
await browser.close();
