// Makes the report: node build.mjs FIGURES.json PAGE.html
//
// One page that needs nothing beside itself: script, style and figures are in it. The raw figures of every
// round stay in the JSON file; the page has what follows from them.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { load } from './load.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const [from, to] = process.argv.slice(2);
if (!to) {
  console.error('node build.mjs FIGURES.json PAGE.html');
  process.exit(2);
}

const script = await build({
  entryPoints: [join(here, 'src/main.js')],
  bundle: true, minify: true, write: false, format: 'iife', target: 'es2022', charset: 'utf8',
  legalComments: 'inline',
});
const style = await build({
  entryPoints: [join(here, 'src/page.css')], minify: true, write: false, charset: 'utf8',
});
const parts = {
  style: style.outputFiles[0].text,
  figures: JSON.stringify(pageData(load(from))).replaceAll('<', '\\u003c'),
  script: inScript(script.outputFiles[0].text),
};
const page = readFileSync(join(here, 'src/page.html'), 'utf8')
  .replace(/<!-- (style|figures|script) -->/g, (mark, name) => parts[name]);
writeFileSync(to, page);

/** What the page shows of a document, rows as lists to be short. */
function pageData(document) {
  const { runs, summary, stations, ...rest } = document;
  return {
    ...rest,
    stations: stations.map(({ name, description, line, language, managed, published }) =>
      ({ name, description, line, language, managed, published })),
    runCount: runs.length,
    failures: runs.filter((run) => run.failure)
      .map(({ round, workload, station, failure }) => ({ round, workload, station, failure })),
    summary: summary.map((row) => [row.workload, row.station, row.command, row.clients, row.measure,
      row.median, row.low, row.high, row.count]),
  };
}

/** Text that cannot end its script element. */
function inScript(text) {
  return text.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');
}
