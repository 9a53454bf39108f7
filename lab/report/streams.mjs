// Writes what the micro-benchmark of stream reads measured into its README: node streams.mjs REPORT.csv

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { markdownTable, setMeasured } from './src/measured.js';

const lab = process.env.LAB ?? dirname(dirname(fileURLToPath(import.meta.url)));
const [file] = process.argv.slice(2);
if (!file) {
  console.error('node streams.mjs REPORT.csv');
  process.exit(2);
}

const [heads, ...rows] = readFileSync(file, 'utf8').trim().split('\n').map(cells);
const results = rows.map((row) => Object.fromEntries(heads.map((head, index) => [head, row[index]])));
const methods = [...new Set(results.map((one) => one.Method))];
const sizes = [...new Set(results.map((one) => one.Size))].sort((one, other) => one - other);
const parts = [['False', 'As published: the stream stands at its end'], ['True', 'Corrected: the bytes are copied']]
  .map(([isCorrected, title]) => [`${title}.`, '', markdownTable(['bytes', ...sizes.map((size) =>
    Number(size).toLocaleString('en'))], methods.map((method) => [`\`${method}\``, ...sizes.map((size) =>
    results.find((one) => one.Method === method && one.Size === size && one.IsCorrected === isCorrected)?.Mean
      ?? '–')])), ''].join('\n'));
const readme = join(lab, 'StreamReads/README.md');
writeFileSync(readme, setMeasured(readFileSync(readme, 'utf8'), parts.join('\n')));

/** The cells of a line; a quoted one may hold commas. */
function cells(line) {
  return [...line.trim().matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) => cell.replace(/^"|"$/g, ''));
}
