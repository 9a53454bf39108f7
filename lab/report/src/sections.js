// The page's sections, each made of the figures; one without figures is left out.

import { barChart, clientsChart, latencyChart } from './charts.js';
import { el, table } from './elements.js';
import { duration, number, percent, ratio, spread } from './format.js';

const verdicts = { confirmed: 'confirmed', refuted: 'refuted', noise: 'within the noise', missing: 'not measured' };
const authors = { 'redis-clone': 'Redis clone, 2022', fredis: 'Fredis.net, 2016', cinnabar: 'Cinnabar, its aims' };
const commands = ['PING_INLINE', 'PING_BULK', 'GET', 'SET', 'INCR', 'MSET'];
const workloads = [['missing', 'keys missing'], ['present', 'keys present']];
const measures = { p99Us: 'p99 latency', opsPerCpuSecond: 'a CPU second', loadedBytesPerKey: 'memory a key',
  collectedBytesPerKey: 'memory a key, collected' };
const shownCurves = /^(naive|delayed-flush|sharded|pipelines-bytes|fredis-hybrid|cinnabar-epoll|ring|redis-server)$/;

export const sections = [
  ['findings', 'What the authors found', findings],
  ['throughput', 'Throughput by clients', throughput],
  ['mix', 'Line one’s workload', mix],
  ['latency', 'Latency', latency],
  ['cpu', 'CPU per operation', cpu],
  ['memory', 'Memory per key', memory],
  ['garbage', 'Garbage collections', garbage],
  ['method', 'How it was measured', method],
];

/** The answer in three figures. */
export function tiles(figures) {
  const shown = [
    ['cinnabar-redis', 'the commands a second of Redis, keys present, on one core'],
    ['cinnabar-cpu', 'the commands a CPU second of the naive server'],
  ].map(([id, text]) => [figures.finding(id)?.ratio?.median, text]).filter(([value]) => value)
    .map(([value, text]) => el('div.tile', {}, el('b', {}, ratio(value)), el('span', {}, `Cinnabar: ${text}`)));
  const tried = figures.findings.filter((one) => one.finding.source !== 'cinnabar');
  const count = (verdict) => tried.filter((one) => one.verdict === verdict).length;
  return el('div.tiles', {}, shown, el('div.tile', {},
    el('b', {}, `${count('confirmed')} of ${tried.filter((one) => one.verdict !== 'missing').length}`),
    el('span', {}, `findings of the authors confirmed; ${count('refuted')} refuted, ${count('noise')} within the noise`)));
}

function findings(figures) {
  const tried = figures.findings.filter((one) => one.ratio);
  if (tried.length === 0) return [];
  const published = tried.filter((one) => one.finding.published);
  const rows = (source) => tried.filter((one) => one.finding.source === source).map(findingRow);
  const heads = (source) => ['stations',
    { text: source === 'cinnabar' ? 'aim, and remarks' : 'found, and why ours differs' },
    source === 'cinnabar' ? 'aimed at' : 'author’s', 'ours', 'rounds', { text: 'verdict' }];
  const chart = published.length === 0 ? [] : el('div.card', {},
    el('h3', {}, 'Ratios between stations, the author’s and ours'),
    barChart('Ratios between stations, the author’s and ours',
      published.map((one) => [one.finding.station, `/ ${one.finding.over}`
        + (one.finding.measure === 'p99Us' ? ' (p99)' : '')]),
      [{ label: 'ours', values: published.map((one) => one.ratio.median), color: 'accent' },
        { label: 'the author’s', values: published.map((one) => one.finding.published), color: 'soft' }], '×'));
  return [
    el('p.soft', {}, 'A ratio is taken within a round; an order is confirmed or refuted when every round says so. '
      + 'Over the clients of a sweep it is the geometric mean; against all others, the lowest over any of them at any point.'),
    el('div.cards', {}, chart, Object.entries(authors).filter(([source]) => rows(source).length > 0)
      .map(([source, name]) => el('div.card', {}, el('h3', {}, name), table(name, heads(source), rows(source), true)))),
  ];
}

function findingRow({ finding, ratio: ours, verdict, at, rival }) {
  const aim = finding.source === 'cinnabar' ? `above ${ratio(finding.threshold)}` : 'order only';
  return [
    { text: `${finding.station} / ${finding.over === 'best' ? 'best other' : finding.over}`,
      small: [finding.command, measures[finding.measure]].filter(Boolean).join(', ') },
    { text: finding.statement, small: finding.reason, kind: 'text.wide' },
    { text: finding.published ? ratio(finding.published) : aim, small: finding.publishedOn },
    { text: ratio(ours.median), small: at ? `lowest, at ${number(at)} clients, over ${rival}` : '' },
    ours.count > 1 ? `${ours.low.toFixed(2)} – ${ours.high.toFixed(2)}` : 'one',
    { text: el(`span.verdict.${verdict}`, {}, verdicts[verdict]), kind: 'text' },
  ];
}

function throughput(figures) {
  const stations = figures.stationsOf('sweep');
  const clients = figures.clientsOf('sweep');
  if (stations.length === 0) return [];
  const at = (station, command, count) => figures.at('sweep', station, 'opsPerSecond', command, count);
  const card = (command) => {
    const label = `${command}: requests a second by clients`;
    const rows = clients.map((count) => {
      const values = stations.map((station) => at(station, command, count));
      const best = Math.max(...values.map((value) => value?.median ?? 0));
      return [number(count), ...values.map((value) => ({ text: number(value?.median), small: spread(value),
        kind: value?.median === best ? 'best' : undefined }))];
    });
    return el('div.card', { id: `throughput-${command}` }, el('h3', {}, command),
      clientsChart(label, clients, stations.map((name) => (
        { name, values: clients.map((count) => at(name, command, count)?.median ?? null) }))),
      table(label, ['clients', ...stations], rows));
  };
  return [
    el('p.soft', {}, `redis-benchmark, one request at a time from each client, values of `
      + `${number(figures.plan.sweepValueSize)} bytes, ${figures.plan.sweepKeyCount} keys; server and client on a core `
      + 'each. Where the client’s core was full, all servers that are fast enough look alike.'),
    el('div.cards.two', {}, commands.map(card)),
    loadShare(figures, stations, clients),
  ];
}

function loadShare(figures, stations, clients) {
  const busy = (station, count) => {
    const values = commands.map((command) => figures.at('sweep', station, 'loadBusy', command, count)?.median)
      .filter((value) => value !== undefined);
    return values.length === 0 ? '–' : percent(values.reduce((sum, value) => sum + value) / values.length);
  };
  const label = 'How busy redis-benchmark kept its core at most (with opening its connections), mean of the six commands';
  return el('details', {}, el('summary', {}, label),
    table(label, ['clients', ...stations], clients.map((count) =>
      [number(count), ...stations.map((station) => busy(station, count))])));
}

function mix(figures) {
  const cards = workloads.filter(([name]) => figures.stationsOf(name).length > 0).map(([workload, title]) => {
    const stations = figures.stationsOf(workload);
    const rate = (name) => figures.whole(workload, name, 'opsPerSecond');
    const naive = rate('naive')?.median;
    const busy = (name) => figures.whole(workload, name, 'loadBusy')?.median;
    const label = `Commands a second, ${title}`;
    return el('div.card', { id: `mix-${workload}` }, el('h3', {}, label),
      barChart(label, stations, [{ label: 'commands a second', values: stations.map((name) => rate(name)?.median) }],
        'a second'),
      table(label, ['station', 'a second', 'over naive', 'author’s', 'hits', 'load’s core'], stations.map((name) => [
        name, { text: number(rate(name)?.median), small: spread(rate(name)) },
        naive ? ratio(rate(name)?.median / naive) : '–', authorsRatio(figures, name),
        shareOf(figures.whole(workload, name, 'hitRatio')?.median), shareOf(busy(name)),
      ])));
  });
  const { mixClients, mixDepth, mixValueSize, missingKeyCount, presentKeyCount } = figures.plan;
  return cards.length === 0 ? [] : [
    el('p.soft', {}, `${mixClients} connections, ${mixDepth} commands under way on each, one SET to ten GETs, values of `
      + `${mixValueSize} bytes. Keys missing: at random out of ${number(missingKeyCount)} that start absent, as `
      + `published. Keys present: ${number(presentKeyCount)}, all set before.`),
    el('div.cards.two', {}, cards),
  ];
}

function authorsRatio(figures, name) {
  const { opsPerSecond, machine } = figures.stations.find((one) => one.name === name)?.published ?? {};
  const naive = figures.stations.find((one) => one.name === 'naive')?.published;
  return machine === naive?.machine && opsPerSecond ? ratio(opsPerSecond / naive.opsPerSecond) : '–';
}

function shareOf(value) {
  return value === undefined ? '–' : percent(value);
}

function latency(figures) {
  const cards = workloads.map(([workload, title]) => {
    const stations = figures.stationsOf(workload).filter((name) => figures.curve(workload, name));
    if (stations.length === 0) return undefined;
    const label = `Latency by percentile, ${title}`;
    const percents = figures.curve(workload, stations[0]).map(([one]) => one);
    return el('div.card', { id: `latency-${workload}` }, el('h3', {}, label),
      latencyChart(label, stations.map((name) => ({ name, values: figures.curve(workload, name) })),
        (name) => stations.length > 8 && !shownCurves.test(name)),
      table(label, ['station', ...percents.map((one) => (one === 100 ? 'max' : `${one} %`))], stations.map((name) =>
        [name, ...figures.curve(workload, name).map(([, us]) => duration(us))])));
  }).filter(Boolean);
  return cards.length === 0 ? [] : [
    el('p.soft', {}, 'With so many commands under way, latency is how long a batch waits for its turn: a closed loop '
      + 'measures throughput from its other side. A name in the legend shows or hides its line.'),
    el('div.cards', {}, cards),
  ];
}

function cpu(figures) {
  const cards = workloads.filter(([name]) => figures.stationsOf(name).length > 0).map(([workload, title]) => {
    const stations = figures.stationsOf(workload);
    const cost = (name) => figures.whole(workload, name, 'serverCpuUsPerOp');
    const label = `The server’s CPU time a command, ${title}`;
    return el('div.card', { id: `cpu-${workload}` }, el('h3', {}, label),
      barChart(label, stations, [{ label: 'CPU time', values: stations.map((name) => cost(name)?.median) }], 'µs'),
      table(label, ['station', 'µs a command', 'commands a CPU second', 'core used'], stations.map((name) => [
        name, { text: number(cost(name)?.median), small: spread(cost(name)) },
        number(figures.whole(workload, name, 'opsPerCpuSecond')?.median),
        shareOf(figures.whole(workload, name, 'serverBusy')?.median),
      ])));
  });
  return [...(cards.length === 0 ? [] : [el('div.cards.two', {}, cards)]), sweepCpu(figures)].filter(Boolean);
}

function sweepCpu(figures) {
  const stations = figures.stationsOf('sweep');
  const clients = figures.clientsOf('sweep');
  if (stations.length === 0) return undefined;
  const busiest = clients.filter((count) => count >= 16)[0] ?? clients.at(-1);
  const label = `The server’s CPU time a request, unpipelined, ${busiest} clients`;
  const cost = (name, command) => figures.at('sweep', name, 'serverCpuUsPerOp', command, busiest);
  return el('div.card', { id: 'cpu-sweep' }, el('h3', {}, label),
    barChart(label, stations, [{ label: 'GET', values: stations.map((name) => cost(name, 'GET')?.median) }], 'µs'),
    table(label, ['station', ...commands], stations.map((name) => [name, ...commands.map((command) =>
      ({ text: number(cost(name, command)?.median), small: spread(cost(name, command)) }))])));
}

function memory(figures) {
  const stations = figures.stationsOf('present')
    .filter((name) => figures.whole('present', name, 'loadedBytesPerKey'));
  if (stations.length === 0) return [];
  const bytes = (name, measure) => figures.whole('present', name, `${measure}BytesPerKey`);
  const label = 'Resident memory a key';
  const { presentKeyCount, mixValueSize } = figures.plan;
  return [
    el('p.soft', {}, `What the process has grown by since its start, by key; ${number(presentKeyCount)} keys with values `
      + `of ${mixValueSize} bytes. Collected: after a forced collection; after MEMORY PURGE where keys are not on a managed `
      + 'heap, as in Redis and Cinnabar.'),
    el('div.card', {}, el('h3', {}, label),
      barChart(label, stations, [
        { label: 'as it is, after the load', values: stations.map((name) => bytes(name, 'loaded')?.median) },
        { label: 'collected', values: stations.map((name) => bytes(name, 'collected')?.median ?? null) },
      ], 'bytes'),
      table(label, ['station', 'filled', 'after the load', 'collected'], stations.map((name) => [name,
        ...['filled', 'loaded', 'collected'].map((measure) => ({ text: number(bytes(name, measure)?.median),
          small: spread(bytes(name, measure)) }))]))),
  ];
}

function garbage(figures) {
  const workload = ['present', 'missing', 'sweep'].find((name) => figures.stationsOf(name).some((station) =>
    figures.whole(name, station, 'collectionsPerMillionOps')));
  if (!workload) return [];
  const stations = figures.stationsOf(workload)
    .filter((name) => figures.whole(workload, name, 'collectionsPerMillionOps'));
  const value = (name, measure) => figures.whole(workload, name, measure);
  const label = 'Garbage collections for a million commands';
  return [
    el('p.soft', {}, 'Since the station’s start, its filling included; Cinnabar’s while the load ran.'),
    el('div.card', {}, el('h3', {}, label),
      barChart(label, stations, [{ label: 'collections',
        values: stations.map((name) => value(name, 'collectionsPerMillionOps')?.median) }], 'a million commands'),
      table(label, ['station', 'collections', 'of them full', 'ms standing still'], stations.map((name) => [name,
        ...['collectionsPerMillionOps', 'fullCollectionsPerMillionOps', 'pauseMsPerMillionOps']
          .map((measure) => ({ text: number(value(name, measure)?.median), small: spread(value(name, measure)) }))]))),
  ];
}

function method(figures) {
  const { machine, plan, versions, noise, failures } = figures;
  const place = (core) => (core === undefined ? 'any core' : `core ${core}`);
  const facts = [
    ['machine', `${machine.processor}, ${machine.coreCount} cores, ${(machine.memoryBytes / 2 ** 30).toFixed(0)} GiB`],
    ['system', `${machine.system}, kernel ${machine.kernel}, congestion control ${machine.congestionControl}`],
    ['runtime', machine.runtime],
    ['versions', Object.entries(versions).map(([name, version]) => `${name}: ${version}`).join('; ')],
    ['profile', `${plan.profile}: ${plan.rounds} interleaved round${plan.rounds === 1 ? '' : 's'}, ${figures.runCount} `
      + `starts of ${figures.stations.length} stations; servers on ${place(plan.serverCore)}, load on `
      + place(plan.loadCore)],
    ['durations', `${plan.mixSeconds} s after ${plan.warmUpSeconds} s of warming up (line one); `
      + `${plan.sweepSeconds} s a point (line two)`],
    ['noise', noise.length === 0 ? 'not known: one round' : noise.map((one) => `${one.workload}: the rounds lie within `
      + `± ${percent(one.median)} of the median at the middle point, ± ${percent(one.high)} at the worst`).join('; ')],
  ];
  return [
    el('div.card', {}, el('dl', {}, facts.flatMap(([name, text]) => [el('dt', {}, name), el('dd', {}, text)]))),
    failures.length === 0 ? el('p', {}, 'No run failed.') : el('div.card', {}, el('h3', {}, 'Runs that failed'),
      el('ul', {}, failures.map((one) =>
        el('li', {}, `${one.station}, ${one.workload}, round ${one.round}: ${one.failure}`)))),
    el('h3', {}, 'The stations'),
    table('The stations', ['station', { text: 'what it is' }, { text: 'language' }], figures.stations.map((one) =>
      [one.name, { text: one.description, kind: 'text.wide' }, { text: one.language, kind: 'text' }])),
  ];
}
