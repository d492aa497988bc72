// Stored queries of the cluster, and the history and favourites of this browser: texts only, no parameters and no results.
import { html, nothing } from 'lit-html';
import { state, change } from '../store.js';
import * as api from '../api.js';
import { ask, close } from './dialog.js';
import { refused, waiting } from './states.js';
import { save } from './download.js';
import { typeText } from './form.js';
import { when } from './value.js';

const KEPT = 100;
const name = graph => `history:${graph}`;
const read = graph => { try { return JSON.parse(localStorage.getItem(name(graph)) ?? '[]'); } catch { return []; } };
const put = (graph, list) => { try { localStorage.setItem(name(graph), JSON.stringify(list)); } catch { /* the browser keeps nothing */ } };
const keeps = () => localStorage.getItem('keepHistory') !== 'off';

export function remember(graph, text) {
  if (!keeps()) return;
  const list = read(graph), before = list.find(h => h.text === text);
  const now = { text, at: new Date().toISOString(), star: before?.star };
  const rest = list.filter(h => h.text !== text);
  put(graph, [now, ...rest.filter(h => h.star), ...rest.filter(h => !h.star).slice(0, KEPT - 1)].sort((a, b) => b.at.localeCompare(a.at)));
}

export function showHistory(graph, load) {
  const row = h => html`<li><button class="icon" aria-pressed=${!!h.star} aria-label="Favourite" @click=${() => { const list = read(graph); const it = list.find(x => x.text === h.text); it.star = !it.star; put(graph, list); change(); }}>${h.star ? '★' : '☆'}</button>
    <button class="text" @click=${() => { close(); load(h.text); }}><code>${h.text.trim().slice(0, 400)}</code></button><time>${when(h.at)}</time></li>`;
  ask({
    title: `History of ${graph}`, wide: true,
    body: () => {
      const list = read(graph);
      return html`${list.length ? html`<ul class="saved">${[...list.filter(h => h.star), ...list.filter(h => !h.star)].map(row)}</ul>` : html`<p class="muted">Nothing has run yet. What runs is kept here, in this browser: its text, no parameters and no results.</p>`}
        <div class="row"><button type="button" ?disabled=${!list.length} @click=${() => save(`${graph}.gq`, 'text/plain', list.map(h => `// ${h.at}\n${h.text.trim()}\n`).join('\n'))}>Export as .gq</button>
        <button type="button" ?disabled=${!list.length} @click=${() => { put(graph, list.filter(h => h.star)); change(); }}>Forget all but favourites</button>
        <label class="check"><input type="checkbox" .checked=${keeps()} @change=${e => { localStorage.setItem('keepHistory', e.target.checked ? 'on' : 'off'); change(); }}> Keep history</label></div>`;
    },
  });
}

export function showStored(load) {
  const mine = { list: null, error: null };
  api.storedQueries(state.graph).then(r => change(() => { mine.list = r.queries; }), e => change(() => { mine.error = e; }));
  const row = query => html`<li><div class="grow"><b>${query.name}</b> ${query.mutation ? html`<span class="tag warn-tag">writes</span>` : nothing}
      <span class="muted">${query.params.map(p => `$${p.name}: ${typeText(p)}${p.nullable ? '?' : ''}`).join(', ')}</span>
      ${query.description ? html`<p>${query.description}</p>` : nothing}</div>
    <button type="button" @click=${() => { close(); load(query.source.trim() + '\n', query); }}>Open</button></li>`;
  ask({
    title: 'Stored queries', wide: true,
    body: () => mine.error ? refused(mine.error) : !mine.list ? waiting('Reading the stored queries…')
      : mine.list.length ? html`<ul class="saved">${mine.list.map(row)}</ul>` : html`<p class="muted">The cluster stores no query that you may run. cluster.yaml names the files of stored queries.</p>`,
  });
}
