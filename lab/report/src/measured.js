// What a README says of a run, as Markdown. Nothing here needs a page.

import { answer } from './answer.js';
import { Figures } from './figures.js';
import { duration, number, percent, ratio } from './format.js';

const verdicts = { confirmed: 'confirmed', refuted: 'refuted', noise: 'within the noise' };
const titles = { ratios: 'Ratios between stations', throughput: 'GET by clients', mix: 'Line one’s workload',
  cpu: 'CPU per command', memory: 'Memory per key', latency: 'Latency by percentile' };

/** The text with what stands between the marks of a name replaced; without marks, as it was. */
export function setMeasured(text, measured, name = 'measured') {
  const first = text.match(new RegExp(`<!-- ${name}: begin[^>]*-->`)), last = text.match(`<!-- ${name}: end -->`);
  if (!first || !last || last.index < first.index) return text;
  return `${text.slice(0, first.index + first[0].length)}\n${measured.trim()}\n${text.slice(last.index)}`;
}

/** What is measured of the stations that a folder of the lab builds; empty where it builds none. */
export function measuredStations(document, folder) {
  const own = document.stations.filter((one) => one.project?.startsWith(`lab/${folder}/`)).map((one) => one.name);
  const figures = new Figures({ ...document, summary: rowsOf(document) });
  const shown = own.filter((name) => figures.whole('missing', name, 'opsPerSecond'));
  if (shown.length === 0) return '';
  const rows = shown.map((name) => {
    const at = (workload, measure) => figures.whole(workload, name, measure)?.median;
    const naive = figures.whole('missing', 'naive', 'opsPerSecond')?.median;
    return [`\`${name}\``, number(at('missing', 'opsPerSecond')),
      naive ? ratio(at('missing', 'opsPerSecond') / naive) : '–', number(at('present', 'opsPerSecond')),
      number(at('missing', 'serverCpuUsPerOp')), duration(at('missing', 'p99Us')),
      number(at('present', 'loadedBytesPerKey')), number(at('present', 'collectedBytesPerKey'))];
  });
  const heads = ['station', 'keys missing, a second', 'over naive', 'present, a second', 'CPU µs', 'p99',
    'bytes a key', 'collected'];
  return [`${where(document)} \`lab/results/full.html\` has all of it.`, '', markdownTable(heads, rows), '',
    ...document.findings.filter(({ finding, ratio: ours }) => ours && own.includes(finding.station)
      && finding.source !== 'cinnabar').map(findingLine)].join('\n');
}

/** The answer to the question of both lines, for the top of the lab's page. */
export function measuredAnswer(document) {
  return answer(new Figures({ ...document, summary: rowsOf(document) }));
}

/** What the lab's own page says: the pictures and every finding. */
export function measuredLab(document, pictures) {
  const images = pictures.map((name) => [name, titles[name.replace('.png', '')]]).filter(([, title]) => title);
  return [`${where(document)} All of it: \`lab/results/full.html\`; the raw figures: \`lab/results/full.json\`.`, '',
    noise(document), '', ...images.map(([name, title]) => `![${title}](report/${name})\n`),
    ...document.findings.filter((one) => one.ratio).map(findingLine)].join('\n');
}

function where({ startedAt, machine, plan }) {
  return `Measured on ${startedAt.slice(0, 10)}, ${machine.processor}, ${machine.coreCount} cores, server and load on a `
    + `core each, ${plan.rounds === 1 ? 'one round' : `medians of ${plan.rounds} interleaved rounds`}.`;
}

function noise({ noise: all }) {
  return all.length === 0 ? 'One round: the noise is not known.' : `Noise: ${all.map((one) =>
    `${one.workload} ± ${percent(one.median)} at the middle point, ± ${percent(one.high)} at the worst`).join('; ')}.`;
}

function findingLine({ finding, ratio: ours, verdict, at }) {
  const theirs = finding.published ? `, its author’s ${ratio(finding.published)}` : '';
  const rounds = ours.count > 1 ? ` (${ours.low.toFixed(2)} – ${ours.high.toFixed(2)})` : '';
  const place = at ? ` at ${number(at)} clients, the lowest point` : '';
  return `* ${finding.statement}: ours ${ratio(ours.median)}${rounds}${place}${theirs}: **${verdicts[verdict]}**.`
    + (finding.reason ? ` ${finding.reason}` : '');
}

/** A table, the first column of names. */
export function markdownTable(heads, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map((head, index) => (index === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}

function rowsOf(document) {
  return document.summary.map((row) => [row.workload, row.station, row.command, row.clients, row.measure,
    row.median, row.low, row.high, row.count]);
}
