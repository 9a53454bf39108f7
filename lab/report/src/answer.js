// The question of both lines, answered in one sentence out of a run's figures: no more than every round says.

import { ratio } from './format.js';

/** The sentence; empty where the run does not tell. */
export function answer(figures) {
  const [epoll, ring, between] = ['cinnabar-redis', 'ring-redis', 'ring-epoll'].map((id) => figures.finding(id));
  if (!epoll?.ratio || !ring?.ratio) return '';
  return `A managed language ${reach([epoll, ring])} the performance of C: on one core, in line one’s workload with its keys `
    + `present, Cinnabar answers ${times(epoll.ratio)} the commands a second of Redis over epoll and ${times(ring.ratio)} over `
    + `io_uring, the stage that line one named last and did not build${compare(between)}.`;
}

// A ratio that rounds of one server against itself have, too.
const REACHED = 0.95;

/** One way of serving that is ahead in every round passes; one that is level in some reaches. */
function reach(found) {
  if (found.some((one) => one.verdict === 'confirmed')) return 'passes';
  return found.some((one) => one.verdict !== 'refuted' && one.ratio.median >= REACHED) ? 'reaches' : 'does not reach';
}

function compare(between) {
  if (!between?.ratio) return '';
  if (between.verdict === 'confirmed') return `, which is ${times(between.ratio)} epoll`;
  const far = `io_uring against epoll ${times(between.ratio)}`;
  return between.verdict === 'refuted' ? `, which is not ahead: ${far}`
    : `; which of the two is faster is within the noise: ${far}`;
}

/** A ratio with its lowest and highest round. */
function times(found) {
  const range = found.count > 1 ? ` (${found.low.toFixed(2)} – ${found.high.toFixed(2)})` : '';
  return `${ratio(found.median)}${range}`;
}
