// Elements, written as nested calls.

export function el(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name);
  if (classes.length > 0) element.className = classes.join(' ');
  for (const [attribute, value] of Object.entries(attributes))
    if (value !== undefined && value !== null) element.setAttribute(attribute, value);
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== ''));
  return element;
}

/**
 * A table: the first cell of a row is its heading. A cell is a text, or { text, small, kind }: what stands
 * small beside it, and its class. A stacked table has on a narrow screen a block for each row.
 */
export function table(caption, heads, rows, isStacked = false) {
  const titles = heads.map((head) => (typeof head === 'object' ? head.text : head));
  const cell = (value, index) => {
    const { text, small, kind } = typeof value === 'object' ? value : { text: value };
    const content = [text, small ? ' ' : '', small ? el('small', {}, small) : ''];
    return index === 0 ? el('th', { scope: 'row', role: 'rowheader' }, content)
      : el(kind ? `td.${kind}` : 'td', { role: 'cell', 'data-head': text ? titles[index] : undefined }, content);
  };
  // The roles stay when a stacked table's parts are laid out as blocks.
  return el('div.scroll', { tabindex: 0, role: 'region', 'aria-label': caption },
    el(isStacked ? 'table.stacked' : 'table', { role: 'table' },
      el('caption', {}, caption),
      el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, heads.map((head, index) =>
        el(typeof head === 'object' ? 'th.text' : 'th', { scope: 'col', role: 'columnheader' }, titles[index])))),
      el('tbody', { role: 'rowgroup' }, rows.map((row) => el('tr', { role: 'row' }, row.map(cell))))));
}
