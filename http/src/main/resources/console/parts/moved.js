// A write was refused because its branch has moved: what came, from the commit that was seen to the one that is there.
import { html, nothing } from 'lit-html';
import { state, change, address } from '../store.js';
import * as api from '../api.js';
import { byType } from './diff.js';
import { short } from './value.js';

const SHOWN = 50;
const looked = new WeakMap();

async function look(p) {
  change(() => { looked.set(p, {}); });
  let found;
  try { found = await api.diff(state.graph, { from: p.expected, to: p.actual, limit: SHOWN }); } catch (e) { found = { error: e }; }
  change(() => { looked.set(p, found); });
}

/** @param p the `precondition_failure` of a refusal: `expected` and `actual` commits */
export function moved(p) {
  const d = looked.get(p);
  return html`<p class="note"><b>The branch has moved since you looked</b>: from <code>${short(p.expected)}</code> to <a href=${address({ page: 'commits', link: { commit: p.actual } })}><code>${short(p.actual)}</code></a>. Nothing was written, and what you have typed is still here.</p>
    ${!d ? html`<button type="button" @click=${() => look(p)}>Show what came</button>` : d.error ? html`<p class="bad">${d.error.message}</p>`
      : !d.changes ? nothing : d.changes.length ? byType(d.changes, new Set(), () => {}) : html`<p class="note">No entity differs.</p>`}
    ${d?.next_page_token ? html`<p class="note">The first ${SHOWN} changes.</p>` : nothing}`;
}
