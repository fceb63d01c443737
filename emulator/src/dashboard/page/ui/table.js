/** @import { ComponentChildren, HTMLAttributes } from '../preact.js' */
import { h } from '../preact.js';

/**
 * @template Row
 * @typedef {object} Column
 * @property {string} name
 * @property {(row: Row) => ComponentChildren} cell
 * @property {'number' | 'id' | 'actions'} [class]
 */

/**
 * A table that is written down column by column; the first one names the row. It scrolls by itself where it is
 * wider than the screen; on a narrow one each row of a wide table becomes a list of its cells with their names.
 *
 * @template Row
 * @param {string} label
 * @param {readonly Row[]} rows
 * @param {(row: Row) => string} key
 * @param {readonly Column<Row>[]} columns
 * @param {HTMLAttributes<HTMLTableSectionElement>} [listeners] of the rows as a whole
 */
export function table(label, rows, key, columns, listeners) {
  const wide = columns.length > 5 || columns.some(({ class: look }) => look === 'actions');
  const heads = columns.map(({ name, class: look }) =>
    h('th', { key: name, scope: 'col', class: look }, name),
  );
  return h(
    'div',
    { class: wide ? 'scrolled wide' : 'scrolled', tabIndex: 0, role: 'group', 'aria-label': label },
    h(
      'table',
      null,
      h('thead', null, h('tr', null, heads)),
      h(
        'tbody',
        listeners ?? null,
        rows.map((row) =>
          h(
            'tr',
            { key: key(row) },
            columns.map((column, index) => cell(row, column, index === 0)),
          ),
        ),
      ),
    ),
  );
}

/**
 * @template Row
 * @param {Row} row
 * @param {Column<Row>} column
 * @param {boolean} first
 */
function cell(row, { name, cell, class: look }, first) {
  return h(
    first ? 'th' : 'td',
    { key: name, class: look, 'data-column': name, ...(first ? { scope: 'row' } : {}) },
    // One box, that goes beside the column's name.
    h('div', null, cell(row)),
  );
}
