// Looks at the report in a real browser: node look.mjs PAGE.html [--pictures FOLDER] [--width PIXELS]
//
// Fails (exit code 1, a line for each fault) where the page asks the network for anything, says anything on the
// console, leaves a chart blank, has a table without numbers or, on a wide screen, a table that is cut off, or is
// wider than its window.

import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const program = process.env.CHROMIUM ?? '/usr/bin/chromium';
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const waitMs = 120_000, wideWidth = 1200;
const pictures = [['#findings .card', 'ratios'], ['#throughput-GET', 'throughput'], ['#mix-present', 'mix'],
  ['#cpu-missing', 'cpu'], ['#memory .card', 'memory'], ['#latency-present', 'latency']];

const { page: file, folder, widths } = words(process.argv.slice(2));
const faults = [];
const browser = await chromium.launch({ executablePath: program, args: flags, timeout: waitMs });
try {
  for (const width of widths)
    for (const colorScheme of ['light', 'dark']) await look(width, colorScheme);
} finally {
  await browser.close();
}
faults.forEach((fault) => console.log(`FAULT ${fault}`));
process.exitCode = faults.length > 0 ? 1 : 0;

async function look(width, colorScheme) {
  const place = `${width} px, ${colorScheme}`;
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  context.setDefaultTimeout(waitMs);
  const page = await context.newPage();
  const fault = (text) => faults.push(`${place}: ${text}`);
  const own = pathToFileURL(resolve(file)).href;
  page.on('request', (request) => {
    const url = request.url();
    if (url !== own && !url.startsWith('data:')) fault(`asks for ${url}`);
  });
  page.on('console', (message) => fault(`says ${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => fault(`fails: ${error.message}`));
  await page.goto(own, { waitUntil: 'load' });
  const found = await page.evaluate(inspect);
  if (!found.isReady) fault('its script did not come to its end');
  if (found.charts.length === 0) fault('has no chart');
  for (const { label, marks, seen, hasTable } of found.charts) {
    // A line may hide another one's; half of them cannot hide.
    if (marks === 0 || seen < marks / 2) fault(`chart ${label}: blank, ${seen} of ${marks} colours are seen`);
    if (!hasTable) fault(`chart ${label}: no table with it`);
  }
  for (const { label, numbers, rows } of found.tables)
    if (rows === 0 || numbers === 0) fault(`table ${label}: ${rows} rows, ${numbers} numbers`);
  for (const label of width >= wideWidth ? found.cut : []) fault(`table ${label}: cut off`);
  if (found.width > width) fault(`is ${found.width} px wide: ${found.widest}`);
  console.log(`${place}: ${found.charts.length} charts, ${found.tables.length} tables, ${found.sections.join(' ')}`);
  if (folder && width === Math.max(...widths) && colorScheme === 'light') await photograph(page);
  await context.close();
}

// Runs in the page.
function inspect() {
  const pixels = (canvas) => {
    const seen = new Set();
    if (canvas.width === 0 || canvas.height === 0) return seen;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 0) seen.add(data.slice(at, at + 4).join());
    return seen;
  };
  const drawn = (color) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
    const pen = canvas.getContext('2d');
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    return pen.getImageData(0, 0, 1, 1).data.join();
  };
  const seenOf = (canvas) => {
    const marks = JSON.parse(canvas.dataset.marks ?? '[]');
    const colors = pixels(canvas);
    return { marks: marks.length, seen: marks.filter((color) => colors.has(drawn(color))).length };
  };
  const root = document.documentElement;
  const escaping = [...document.querySelectorAll('main *')].find((one) => !one.closest('.scroll')
    && one.getBoundingClientRect().right > root.clientWidth + 1);
  return {
    isReady: root.dataset.ready === 'true',
    sections: [...document.querySelectorAll('section')].map((one) => one.id),
    charts: [...document.querySelectorAll('canvas')].map((one) => ({ label: one.getAttribute('aria-label'),
      ...seenOf(one), hasTable: Boolean(one.closest('.card')?.querySelector('table'))
        || Boolean(one.closest('.cards')?.querySelector('table')) })),
    tables: [...document.querySelectorAll('table')].filter((one) => one.caption.textContent !== 'The stations')
      .map((one) => ({ label: one.caption.textContent, rows: one.tBodies[0].rows.length,
        numbers: [...one.tBodies[0].querySelectorAll('td')].filter((cell) => /\d/.test(cell.textContent)).length })),
    cut: [...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth + 1)
      .map((one) => one.getAttribute('aria-label')),
    width: root.scrollWidth,
    widest: escaping ? `<${escaping.tagName.toLowerCase()} class="${escaping.className}">` : '',
  };
}

async function photograph(page) {
  mkdirSync(folder, { recursive: true });
  for (const [selector, name] of pictures) {
    const one = page.locator(selector).first();
    if (await one.count() > 0) await one.screenshot({ path: join(folder, `${name}.png`) });
  }
}

function words(all) {
  const result = { widths: [] };
  for (let index = 0; index < all.length; index++) {
    if (all[index] === '--pictures') result.folder = all[++index];
    else if (all[index] === '--width') result.widths.push(Number(all[++index]));
    else result.page = all[index];
  }
  if (!result.page) throw new Error('node look.mjs PAGE.html [--pictures FOLDER] [--width PIXELS]…');
  if (result.widths.length === 0) result.widths = [1280, 390];
  return result;
}
