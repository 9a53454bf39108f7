// Puts a complete run where the repository shows it: node publish.mjs FIGURES.json PAGE.html
//
// The figures and the page go to lab/results; each station's README gets what was measured of it, between its two
// marks; pictures of the page go to lab/report, if a browser is there to take them.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from './load.mjs';
import { measuredAnswer, measuredLab, measuredStations, setMeasured } from './src/measured.js';

const here = dirname(fileURLToPath(import.meta.url));
const lab = process.env.LAB ?? dirname(here);
const browser = process.env.CHROMIUM ?? '/usr/bin/chromium';
const [figures, page] = process.argv.slice(2);
if (!page) {
  console.error('node publish.mjs FIGURES.json PAGE.html');
  process.exit(2);
}

const document = load(figures);
if (!document.endedAt) {
  console.error(`${figures} is not complete: not published`);
  process.exit(1);
}
mkdirSync(join(lab, 'results'), { recursive: true });
copyFileSync(figures, join(lab, 'results/full.json'));
copyFileSync(page, join(lab, 'results/full.html'));
const pictures = photograph();
for (const folder of readdirSync(lab)) fill(join(lab, folder, 'README.md'), measuredStations(document, folder));
fill(join(lab, 'README.md'), measuredLab(document, pictures));
fill(join(lab, 'README.md'), measuredAnswer(document), 'answer');

function photograph() {
  const folder = join(lab, 'report');
  if (!existsSync(browser)) console.error(`no ${browser}: no pictures`);
  else spawnSync(process.execPath, [join(here, 'test/look.mjs'), page, '--pictures', folder], { stdio: 'inherit' });
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.png')) : [];
}

function fill(file, text, name) {
  if (text && existsSync(file)) writeFileSync(file, setMeasured(readFileSync(file, 'utf8'), text, name));
}
