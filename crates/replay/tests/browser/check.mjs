// Opens the sample pages in headless Chromium and uses them as a person would.
//
// node check.mjs CHROMIUM PAGES [PICTURES]: the browser, the folder of pages, and a folder for screenshots.

import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { brightness, distinctColours } from './colours.mjs';

const [executablePath, pages, pictures] = process.argv.slice(2);
const flags = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const SLOW = 60_000;

let browser = await chromium.launch({ executablePath, args: flags });

// Opens a page, hands it to `use`, and fails on any complaint of the browser.
async function visit(name, options, use) {
  const { hash = '#paused', ...context } = options;
  const tab = await browser.newPage({ viewport: DESK, colorScheme: 'light', ...context });
  const complaints = [];
  tab.setDefaultTimeout(SLOW);
  tab.on('console', (message) => { if (['error', 'warning'].includes(message.type())) complaints.push(message.text()); });
  tab.on('pageerror', (error) => complaints.push(error.message));
  tab.on('request', (request) => { if (!request.url().startsWith('file:')) complaints.push(`asks for ${request.url()}`); });
  await tab.goto(pathToFileURL(resolve(pages, `${name}.html`)).href + hash);
  await tab.waitForFunction(() => window.stiction?.ready);
  await use(tab);
  assert.deepEqual(await tab.evaluate(() => window.stiction.errors), [], name);
  assert.deepEqual(complaints, [], name);
  await tab.close();
}

const frameOf = (tab) => tab.evaluate(() => window.stiction.frame);
const stats = (tab) => tab.evaluate(() => window.stiction.stats());
const settled = (tab) => tab.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
const shot = async (tab, name, clip) => {
  await settled(tab);
  return tab.screenshot({ ...(pictures && name ? { path: join(pictures, `${name}.png`) } : {}), ...(clip ? { clip } : {}) });
};
const canvasBox = (tab) => tab.locator('#view').boundingBox();

const checks = {
  async 'the page plays, steps and seeks'() {
    await visit('shapes', {}, async (tab) => {
      assert.equal(await tab.evaluate(() => window.stiction.frames), 601);
      assert.match(await tab.textContent('#verdict'), /596 of 600 steps certified · worst residual 4\.0e−11 · law cone · h 5 ms/);
      await tab.click('#play');
      await tab.waitForFunction(() => window.stiction.frame > 10);
      await tab.click('#play');
      assert.equal((await stats(tab)).playing, false);
      await tab.evaluate(() => window.stiction.seek(100));
      await tab.click('#forth');
      assert.equal(await frameOf(tab), 101);
      await tab.click('#back');
      await tab.click('#back');
      assert.equal(await frameOf(tab), 99);
      await tab.click('#to-end');
      assert.equal(await frameOf(tab), 600);
      await settled(tab);
      assert.equal(await tab.textContent('#time'), '3.000 s');
      assert.equal(await tab.textContent('#step'), 'step 600');
      await tab.locator('#scrub').fill('250');
      assert.equal(await frameOf(tab), 250);
      const plot = await tab.locator('#plots canvas').first().boundingBox();
      await tab.mouse.click(plot.x + 46 + 0.5 * (plot.width - 130), plot.y + 40);
      assert.equal(Math.round((await frameOf(tab)) / 10), 30, 'the middle of a plot is the middle of the run');
    });
  },

  async 'a recording starts to play by itself'() {
    await visit('shapes', { hash: '' }, (tab) => tab.waitForFunction(() => window.stiction.frame > 3));
  },

  async 'keys do what the help says'() {
    await visit('shapes', {}, async (tab) => {
      const key = (name) => tab.keyboard.press(name);
      await key('ArrowRight');
      await key('Shift+ArrowRight');
      assert.equal(await frameOf(tab), 11);
      await key('ArrowLeft');
      assert.equal(await frameOf(tab), 10);
      await key('End');
      assert.equal(await frameOf(tab), 600);
      await key('Home');
      assert.equal(await frameOf(tab), 0);
      const before = (await stats(tab)).layers;
      for (const letter of 'cfktg') await key(letter);
      const after = (await stats(tab)).layers;
      for (const name of ['contacts', 'forces', 'cones', 'trails', 'grid']) assert.equal(after[name], !before[name], name);
      await key('+');
      assert.equal(await tab.textContent('#speed'), '2×');
      await key('-');
      await key('-');
      assert.equal(await tab.textContent('#speed'), '1/2×');
      await key('p');
      assert.equal(await tab.locator('#side').isVisible(), false);
      await key('p');
      await key('?');
      assert.equal(await tab.locator('#help').isVisible(), true);
      await shot(tab, 'help');
      await key('Escape');
      assert.equal(await tab.locator('#help').isVisible(), false);
      await tab.locator('#view').focus();
      await key(' ');
      assert.equal((await stats(tab)).playing, true);
      await key(' ');
    });
  },

  async 'a click on a contact or a body shows its row'() {
    await visit('shapes', {}, async (tab) => {
      await tab.evaluate(() => window.stiction.seek(120));
      await settled(tab);
      const box = await canvasBox(tab);
      const [x, y] = await tab.evaluate(() => window.stiction.whereIsContact(1));
      await tab.mouse.click(box.x + x, box.y + y);
      await settled(tab);
      assert.equal(await tab.textContent('#picked-title'), 'ground – box');
      const rows = await tab.locator('#picked-rows').innerText();
      for (const part of ['slip', 'gap', 'normal impulse', '|t| / (μ n)', 'sliding speed', 'certified', 'apgd']) assert.ok(rows.includes(part), part);
      await shot(tab, 'contact');
      await tab.keyboard.press('Escape');
      await settled(tab);
      assert.equal(await tab.textContent('#picked-title'), 'Step 120');
      await tab.click('#contact-list summary');
      await tab.locator('#contact-rows button').last().click();
      await settled(tab);
      assert.equal(await tab.textContent('#picked-title'), 'ground – cone');
      const [bx, by] = await tab.evaluate(() => window.stiction.whereIsBody(1));
      await tab.mouse.click(box.x + bx, box.y + by);
      await settled(tab);
      assert.equal(await tab.textContent('#picked-title'), 'ball');
      assert.ok((await tab.locator('#picked-rows').innerText()).includes('kg'));
      await tab.evaluate(() => window.stiction.seek(302));
      await settled(tab);
      assert.ok((await tab.locator('#picked-rows').innerText()).includes('not certified'));
    });
  },

  async 'the view is drawn, in light and in dark'() {
    await visit('shapes', {}, async (tab) => {
      await tab.evaluate(() => window.stiction.seek(120));
      const box = await canvasBox(tab);
      const light = await shot(tab, '', box);
      assert.ok(distinctColours(light) > 300, `${distinctColours(light)} colours`);
      await shot(tab, 'light');
      await tab.keyboard.press('d');
      assert.equal((await stats(tab)).theme, 'dark');
      const dark = await shot(tab, '', box);
      assert.ok(distinctColours(dark) > 300, `${distinctColours(dark)} colours`);
      assert.ok(brightness(dark) < 0.4 * brightness(light));
      await shot(tab, 'dark');
    });
    await visit('shapes', { colorScheme: 'dark' }, async (tab) => assert.equal((await stats(tab)).theme, 'dark'));
  },

  async 'dragging turns the view and the wheel brings it closer'() {
    await visit('shapes', {}, async (tab) => {
      await settled(tab);
      const box = await canvasBox(tab), where = () => tab.evaluate(() => window.stiction.whereIsBody(0));
      const start = await where();
      await tab.mouse.move(box.x + 400, box.y + 300);
      await tab.mouse.down();
      await tab.mouse.move(box.x + 500, box.y + 320, { steps: 4 });
      await tab.mouse.up();
      await settled(tab);
      const turned = await where();
      assert.ok(Math.hypot(turned[0] - start[0], turned[1] - start[1]) > 20);
      await tab.mouse.wheel(0, -400);
      await settled(tab);
      assert.ok((await where())[2] < 0.8 * turned[2], 'the body is nearer');
    });
  },

  async 'a followed body stays in its place, a double click brings one to the middle'() {
    await visit('shapes', {}, async (tab) => {
      await settled(tab);
      const where = () => tab.evaluate(() => window.stiction.whereIsBody(0));
      const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
      const free = await where();
      await tab.evaluate(() => window.stiction.seek(300));
      await settled(tab);
      assert.ok(apart(await where(), free) > 50, 'the box slides');
      await tab.click('[data-layer="follow"]');
      await settled(tab);
      const start = await where();
      await tab.keyboard.press(' ');
      assert.equal((await stats(tab)).playing, true, 'a clicked button does not keep the space key');
      await tab.keyboard.press('Home');
      await tab.keyboard.press(' ');
      await tab.evaluate(() => window.stiction.seek(10));
      await settled(tab);
      assert.ok(apart(await where(), start) < 2, 'it stays where it was');
      await tab.click('[data-layer="follow"]');
      const box = await canvasBox(tab), [x, y] = await where();
      await tab.mouse.dblclick(box.x + x, box.y + y);
      await settled(tab);
      assert.ok(apart(await where(), [box.width / 2, box.height / 2]) < 60);
    });
  },

  async 'a phone shows all of it without scrolling sideways'() {
    await visit('shapes', { viewport: PHONE, hasTouch: true, isMobile: true, deviceScaleFactor: 2 }, async (tab) => {
      await tab.evaluate(() => window.stiction.seek(120));
      const sizes = await tab.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
      assert.ok(sizes[0] <= sizes[1] && sizes[1] === PHONE.width, `${sizes}`);
      await tab.tap('#forth');
      assert.equal(await frameOf(tab), 121);
      await shot(tab, 'phone');
      await settled(tab);
      if (pictures) await tab.screenshot({ path: join(pictures, 'phone-whole.png'), fullPage: true });
    });
  },

  async 'empty recordings and missing poses are shown as what they are'() {
    for (const name of ['empty', 'none']) {
      await visit(name, {}, async (tab) => {
        await tab.keyboard.press('ArrowRight');
        await tab.keyboard.press('End');
        await tab.click('#play');
        await settled(tab);
        assert.match(await tab.textContent('#verdict'), /no steps/);
      });
    }
    await visit('missing', {}, async (tab) => {
      await tab.evaluate(() => window.stiction.seek(1));
      await settled(tab);
      assert.equal((await stats(tab)).missing, 1);
      assert.match(await tab.textContent('#notes'), /1 body has no pose/);
      assert.match(await tab.textContent('#title'), /<script>/, 'a hostile name is text');
    });
  },

  async 'without WebGL 2 the rest of the page works'() {
    await browser.close();
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-3d-apis'] });
    await visit('shapes', {}, async (tab) => {
      assert.equal(await tab.locator('#no-gl').isVisible(), true);
      await tab.keyboard.press('ArrowRight');
      assert.equal(await frameOf(tab), 1);
      const plot = await tab.locator('#plots canvas').first().boundingBox();
      assert.ok(distinctColours(await shot(tab, 'no-gl', plot)) > 20, 'plots are drawn');
    });
    await browser.close();
    browser = await chromium.launch({ executablePath, args: flags });
  },

  async 'a thousand bodies play'() {
    for (const name of ['boxes', 'spheres']) {
      await visit(name, {}, async (tab) => {
        await tab.evaluate(() => window.stiction.seek(100));
        await shot(tab, name);
        assert.ok(distinctColours(await shot(tab, '', await canvasBox(tab))) > 300);
        await tab.evaluate(() => window.stiction.play());
        await tab.waitForTimeout(4000);
        const { fps, level } = await stats(tab);
        console.log(`  1000 ${name}: ${fps} frames/s in software rendering, quality level ${level} of 4`);
        assert.ok(fps >= 1, 'it stands still');
      });
    }
  },
};

for (const [name, check] of Object.entries(checks)) {
  await check();
  console.log(`ok  ${name}`);
}
await browser.close();
