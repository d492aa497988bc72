// Rows as a table, a thousand at a time.
import { html, nothing } from 'lit-html';
import { value, count, visible } from './value.js';

export const PAGE = 1000;

/** @param page from 0; `turn(page)` shows another one; `select(value)` is told of an entity that was chosen */
export function table(result, select, page = 0, turn = null) {
  if (!result.rows.length) return html`<div class="empty"><b>No rows.</b><p>The query ran and matched nothing.</p></div>`;
  const numeric = new Set(result.columns.filter(c => result.rows.slice(0, 20).every(r => r[c] === null || typeof r[c] === 'number' || typeof r[c] === 'bigint')));
  const from = page * PAGE, shown = result.rows.slice(from, from + PAGE), pages = Math.ceil(result.rows.length / PAGE);
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label="Result rows">
      <table class="rows">
        <thead><tr><th class="n" scope="col"><span class="sr">Row</span></th>${result.columns.map(c => html`<th scope="col" class=${numeric.has(c) ? 'r' : ''}>${visible(c)}</th>`)}</tr></thead>
        <tbody>${shown.map((row, i) => html`<tr><td class="n">${from + i + 1}</td>${result.columns.map(c => html`<td class=${numeric.has(c) ? 'r' : ''}>${value(row[c], select)}</td>`)}</tr>`)}</tbody>
      </table>
    </div>
    ${pages > 1 || result.truncated ? html`<div class="note pager">
      <span>Rows ${count(from + 1)} to ${count(from + shown.length)} of ${result.truncated ? 'the first ' : ''}${count(result.rows.length)}${result.truncated ? '; there are more' : ''}.</span>
      ${pages > 1 ? html`<button class="quiet" ?disabled=${!page} @click=${() => turn(page - 1)}>Previous</button><button class="quiet" ?disabled=${page >= pages - 1} @click=${() => turn(page + 1)}>Next</button>` : nothing}
    </div>` : nothing}`;
}
