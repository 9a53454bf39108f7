// Builds the page out of the figures that it carries.

import { answer } from './answer.js';
import { drawAll } from './charts.js';
import { el } from './elements.js';
import { Figures } from './figures.js';
import { sections, tiles } from './sections.js';

const figures = new Figures(JSON.parse(document.getElementById('figures').textContent));
const made = sections.map(([id, title, make]) => [id, title, make(figures)])
  .filter(([, , content]) => content.length > 0);
const day = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });

document.getElementById('page').replaceChildren(
  el('h1', {}, 'How far does each idea carry, and does a managed language reach C?'),
  answer(figures) ? el('p.answer', {}, answer(figures)) : '',
  el('p.soft', {}, `Every system that Cinnabar descends from, rebuilt and measured beside it and beside Redis in one run: `
    + `${day.format(new Date(figures.startedAt))}, ${figures.machine.processor}, ${figures.machine.coreCount} cores.`
    + (figures.endedAt ? '' : ' The run is not complete.')),
  el('nav', { 'aria-label': 'Sections' }, made.map(([id, title]) => el('a', { href: `#${id}` }, title))),
  tiles(figures),
  ...made.map(([id, title, content]) => el('section', { id, 'aria-labelledby': `${id}-title` },
    el('h2', { id: `${id}-title` }, title), content)));
drawAll();
document.documentElement.dataset.ready = 'true';
