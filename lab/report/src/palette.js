// One colour a station, wherever it appears: a hue for each family, steps of lightness within it. Lines differ
// by dashes and point shapes too, for readers who cannot distinguish the colours.

const families = [
  [/^cinnabar/, 6, 78], [/^ring/, 320, 70], [/^redis/, 0, 0], [/^naive/, 212, 45], [/^delayed/, 188, 60],
  [/^sharded/, 150, 48], [/^pipelines/, 42, 72], [/^fredis/, 272, 52],
];
const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3], [4, 4]];
const points = ['circle', 'rect', 'triangle', 'rectRot', 'star'];

export const isDark = () => matchMedia('(prefers-color-scheme: dark)').matches;

export const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** How a station's line or bar looks. */
export function look(name, names) {
  const [pattern, hue, saturation] = families.find(([one]) => one.test(name)) ?? [/$^/, hash(name), 50];
  const step = names.filter((other) => pattern.test(other)).indexOf(name);
  const place = Math.max(0, step);
  const start = isDark() ? 62 : saturation === 0 ? 28 : 42;
  const color = `hsl(${hue + place * 11} ${saturation}% ${start + place * 5}%)`;
  return { color, dash: dashes[place % dashes.length], point: points[place % points.length],
    width: /^cinnabar-epoll|^redis/.test(name) ? 3 : 1.75 };
}

function hash(text) {
  return [...text].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 360, 7);
}
