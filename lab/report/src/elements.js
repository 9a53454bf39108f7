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
 * small beside it, and its class.
 */
export function table(caption, heads, rows) {
  const cell = (value, index) => {
    const { text, small, kind } = typeof value === 'object' ? value : { text: value };
    const content = [text, small ? ' ' : '', small ? el('small', {}, small) : ''];
    return index === 0 ? el('th', { scope: 'row' }, content) : el(kind ? `td.${kind}` : 'td', {}, content);
  };
  return el('div.scroll', { tabindex: 0, role: 'region', 'aria-label': caption },
    el('table', {},
      el('caption', {}, caption),
      el('thead', {}, el('tr', {}, heads.map((head) => typeof head === 'object'
        ? el('th.text', { scope: 'col' }, head.text) : el('th', { scope: 'col' }, head)))),
      el('tbody', {}, rows.map((row) => el('tr', {}, row.map(cell))))));
}
