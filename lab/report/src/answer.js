// The question of both lines, answered in one sentence out of a run's figures.

import { ratio } from './format.js';

const reachBelow = 0.95, passAbove = 1.05;

/** The sentence; empty where the run does not tell. */
export function answer(figures) {
  const over = (id) => figures.finding(id)?.ratio?.median;
  const [epoll, ring] = ['cinnabar-redis', 'ring-redis'].map(over);
  if (!epoll || !ring) return '';
  const best = Math.max(epoll, ring);
  const verdict = best > passAbove ? 'passes' : best < reachBelow ? 'does not reach' : 'reaches';
  return `A managed language ${verdict} the performance of C: on one core, in line one’s workload with its keys present, `
    + `Cinnabar answers ${ratio(epoll)} the commands a second of Redis over epoll and ${ratio(ring)} over io_uring, the stage `
    + `that line one named last and did not build, which is ${ratio(ring / epoll)} epoll.`;
}
