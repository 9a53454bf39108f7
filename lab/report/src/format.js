// Numbers as people read them: three digits that count, thousands parted by commas.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

export function number(value) {
  if (value === undefined || value === null || Number.isNaN(value)) return '–';
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return whole.format(value);
  return value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

/** A large number in short: 1.25 M. */
export function short(value) {
  if (Math.abs(value) >= 1e6) return `${+(value / 1e6).toPrecision(3)} M`;
  if (Math.abs(value) >= 1e3) return `${+(value / 1e3).toPrecision(3)} k`;
  return `${+value.toPrecision(3)}`;
}

export function ratio(value) {
  return value === undefined || value === null ? '–' : `${value.toFixed(value < 10 ? 2 : 1)}\u00a0×`;
}

export function percent(part) {
  return `${(part * 100).toFixed(part < 0.1 ? 1 : 0)}\u00a0%`;
}

/** How far the rounds lie from their median. */
export function spread(figure) {
  if (!figure || figure.count < 2 || !figure.median) return '';
  return `±\u00a0${percent((figure.high - figure.low) / 2 / figure.median)}`;
}

/** Microseconds as a duration. */
export function duration(us) {
  if (us === undefined || us === null) return '–';
  return us >= 1e6 ? `${number(us / 1e6)}\u00a0s` : us >= 1e3 ? `${number(us / 1e3)}\u00a0ms` : `${number(us)}\u00a0µs`;
}
