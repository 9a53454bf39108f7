// The charts. Each is drawn anew when the colours of the system change.

import {
  BarController, BarElement, CategoryScale, Chart, Legend, LinearScale, LineController, LineElement,
  LogarithmicScale, PointElement, Tooltip,
} from 'chart.js';
import { el } from './elements.js';
import { duration, number, short } from './format.js';
import { ink, look } from './palette.js';

Chart.register(BarController, BarElement, CategoryScale, Legend, LinearScale, LineController, LineElement,
  LogarithmicScale, PointElement, Tooltip);

const drawn = [];
const barHeight = 26, groupedBarHeight = 38, axisHeight = 92, lineHeight = 340;
const maximumPlace = 5;

/** Requests a second against the number of clients; series: [{ name, values }], null where not measured. */
export function clientsChart(label, clients, series) {
  return chart(label, lineHeight, () => ({
    type: 'line',
    data: { labels: clients.map(String), datasets: lines(series, (one) => one.values) },
    options: options({
      x: { ...axis('clients'), grid: { display: false } },
      y: { ...axis('requests a second'), beginAtZero: true, ticks: ticks(short) },
    }, (item) => `${item.dataset.label}: ${number(item.parsed.y)} a second`),
  }));
}

/** Latency against the percentile, both on scales that show the tail. */
export function latencyChart(label, series, hidden) {
  const place = ([percent]) => (percent >= 100 ? maximumPlace : -Math.log10(1 - percent / 100));
  const names = { 0.301: '50 %', 1: '90 %', 2: '99 %', 3: '99.9 %', 4: '99.99 %', 5: 'max' };
  return chart(label, lineHeight + 60, () => ({
    type: 'line',
    data: {
      datasets: lines(series, (one) => one.values.map((pair) => ({ x: place(pair), y: pair[1] })))
        .map((set) => ({ ...set, hidden: hidden(set.label) })),
    },
    options: options({
      x: {
        ...axis('share of requests answered within'), type: 'linear', min: 0.301, max: maximumPlace,
        afterBuildTicks: (scale) => { scale.ticks = Object.keys(names).sort().map((value) => ({ value: +value })); },
        ticks: ticks((value) => names[value]),
      },
      y: { ...axis('latency'), type: 'logarithmic', ticks: { ...ticks(duration), maxTicksLimit: 8 } },
    }, (item) => `${item.dataset.label}: ${duration(item.parsed.y)}`),
  }));
}

/** A bar, or several, for each name; groups: [{ label, values, color }], the colour of the name where none. */
export function barChart(label, names, groups, unit) {
  const height = names.length * (groups.length > 1 ? groupedBarHeight : barHeight) + axisHeight;
  return chart(label, height, () => ({
    type: 'bar',
    data: {
      labels: names,
      datasets: groups.map((group, index) => ({
        label: group.label, data: group.values, borderWidth: 0, borderRadius: 3,
        backgroundColor: group.color ? ink(group.color)
          : names.map((name) => shade(look(name, names).color, index)),
      })),
    },
    options: {
      ...options({
        x: { ...axis(unit), beginAtZero: true, ticks: ticks(short) },
        y: { ...axis(), grid: { display: false }, ticks: { ...ticks(), autoSkip: false } },
      }, (item) => `${item.dataset.label}: ${number(item.parsed.x)} ${unit}`),
      indexAxis: 'y',
    },
  }), groups.length > 1);
}

/** Draws all charts; again when the colours change. */
export function drawAll() {
  const draw = () => drawn.forEach((one) => {
    one.chart?.destroy();
    const config = one.config();
    config.options.plugins.legend.display = one.hasLegend;
    one.chart = new Chart(one.canvas, config);
    one.canvas.dataset.marks = JSON.stringify(marks(config.data.datasets));
  });
  draw();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
}

// The colours of all that should be seen, so that a test can look for them.
function marks(sets) {
  const colors = sets.filter((set) => !set.hidden).flatMap((set) => set.data.map((value, index) => (
    { value: value?.y ?? value, color: [set.backgroundColor].flat()[index] ?? set.backgroundColor })));
  return [...new Set(colors.filter(({ value }) => value > 0).map(({ color }) => color))];
}

function chart(label, height, config, hasLegend = true) {
  const canvas = el('canvas', { role: 'img', 'aria-label': `${label}; the table below has its figures` });
  drawn.push({ canvas, config, hasLegend });
  return el('div.chart', { style: `height:${height}px` }, canvas);
}

function lines(series, values) {
  const names = series.map((one) => one.name);
  return series.map((one) => {
    const { color, dash, point, width } = look(one.name, names);
    return { label: one.name, data: values(one), borderColor: color, backgroundColor: color, borderDash: dash,
      pointStyle: point, pointRadius: 3, borderWidth: width, spanGaps: true };
  });
}

// The second bar of a group is paler than the first.
function shade(color, index) {
  return index === 0 ? color : color.replace(')', ' / 45%)');
}

function options(scales, text) {
  return {
    animation: false, responsive: true, maintainAspectRatio: false, scales,
    interaction: { mode: 'nearest', intersect: false },
    plugins: {
      legend: { position: 'bottom', labels: { color: ink('ink'), usePointStyle: true, boxHeight: 6, font: font() } },
      tooltip: { callbacks: { label: text } },
    },
  };
}

function axis(title) {
  return { title: { display: Boolean(title), text: title, color: ink('soft'), font: font() },
    grid: { color: ink('rule') }, border: { color: ink('rule') } };
}

function ticks(text) {
  return { color: ink('soft'), font: font(), ...(text ? { callback: (value) => text(value) } : {}) };
}

function font() {
  return { family: 'system-ui, sans-serif', size: 12 };
}
