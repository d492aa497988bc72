// The graphs of the server as cards: what each holds, and how much has happened.
import { html, nothing } from 'lit-html';
import { ref } from 'lit-html/directives/ref.js';
import { state, change, part, address } from '../store.js';
import * as api from '../api.js';
import { refused, waiting, empty } from '../parts/states.js';
import { bars } from '../parts/chart.js';
import { count, plural, when, short } from '../parts/value.js';

const CARDS_MAX = 60, COMMITS = 100, DAYS = 30;
const mine = part('home', { ready: null, cards: new Map(), filter: '', error: null, stop: null });

export async function open() {
  close();
  mine.stop = new AbortController();
  change(() => { mine.error = null; mine.cards = new Map(); });
  // Cards that stand already are seen again.
  for (const card of document.querySelectorAll('[data-graph]')) { seen.unobserve(card); seen.observe(card); }
  try { const ready = await api.ready(mine.stop.signal); change(() => { mine.ready = ready; }); }
  catch (e) { change(() => { mine.error = e; }); }
}

/** The cards are read as long as the page is shown. */
export function close() { mine.stop?.abort(new api.Stopped()); }

/** Reads a card when it comes into view. */
const seen = new IntersectionObserver(entries => {
  for (const e of entries) if (e.isIntersecting) { seen.unobserve(e.target); fill(e.target.dataset.graph); }
});
/** An element may come to show another graph, as when a name is typed into the filter. */
const watch = graph => ref(element => { if (element && !mine.cards.has(graph)) seen.observe(element); });

async function fill(graph) {
  if (mine.cards.has(graph) || state.graphs.find(g => g.graph_id === graph)?.state !== 'served') return;
  const cards = mine.cards, { signal } = mine.stop;
  change(() => { cards.set(graph, {}); });
  try {
    const [snapshot, branches, commits] = await Promise.all([api.snapshot(graph, {}, signal), api.branches(graph, {}, signal), api.commits(graph, { limit: COMMITS }, signal)]);
    change(() => { cards.set(graph, { snapshot, branches: branches.branches, commits: commits.commits }); });
  } catch (e) { change(() => { cards.set(graph, { error: e }); }); }
}

function again(graph) {
  if (mine.stop.signal.aborted) mine.stop = new AbortController();
  mine.cards.delete(graph);
  fill(graph);
}

/** Commits of the last days, oldest first. */
function days(commits) {
  const today = Math.floor(Date.now() / 86_400_000), found = new Array(DAYS).fill(0);
  for (const c of commits) { const ago = today - Math.floor(Date.parse(c.created_at) / 86_400_000); if (ago >= 0 && ago < DAYS) found[DAYS - 1 - ago]++; }
  return found;
}

function kinds(snapshot, kind) {
  const types = snapshot.types.filter(t => t.kind === kind).sort((a, b) => b.entity_count - a.entity_count), all = types.reduce((n, t) => n + t.entity_count, 0);
  return html`<p><b>${plural(all, kind)}</b> <span class="muted">${types.slice(0, 4).map((t, i) => html`${i ? ' · ' : ''}${t.type_name} ${count(t.entity_count)}`)}${types.length > 4 ? ` · ${types.length - 4} more` : nothing}</span></p>`;
}

function card(g) {
  const c = mine.cards.get(g.graph_id), to = (page, link = {}) => address({ graph: g.graph_id, page, branch: 'main', snapshot: null, asOf: null, link });
  const served = g.state === 'served', last = c?.commits?.[0];
  return html`<article class="card graph-card" data-graph=${g.graph_id} aria-label=${g.display_name} ${served ? watch(g.graph_id) : nothing}>
    <header><h2>${served ? html`<a href=${to('query')}>${g.display_name}</a>` : g.display_name}</h2><span class="tag ${served ? 'good-tag' : 'bad-tag'}">${g.state}</span></header>
    ${g.reason ? html`<p class="bad">${g.reason}</p>` : nothing}
    ${!served ? html`<p class="muted">What to do is in docs/rescue.md; the other graphs are served.</p>` : !c || !(c.error || c.snapshot) ? waiting('Reading the graph…', close) : c.error ? html`<p class="bad">${c.error.message}</p><div class="row"><button @click=${() => again(g.graph_id)}>Try again</button></div>` : html`
      ${kinds(c.snapshot, 'node')}${kinds(c.snapshot, 'edge')}
      <p class="muted">${plural(c.branches.length, 'branch', 'branches')}${last ? html` · last commit ${when(last.created_at)}${last.actor_id ? `, ${last.actor_id}` : ''}` : nothing}</p>
      ${last?.message ? html`<p class="message">${last.message.split('\n')[0]}</p>` : nothing}
      ${bars(days(c.commits), `commits of main by day, the last ${DAYS} days`)}
      <div class="row"><a class="button" href=${to('query')}>Query</a><a class="button" href=${to('data')}>Data</a><a class="button" href=${to('schema')}>Schema</a><a class="button" href=${to('commits')}>Commits</a><a class="button" href=${to('branches')}>Branches</a></div>`}
  </article>`;
}

/** For those who may not list the graphs: a field for an id, and the ids used before. */
function byName() {
  const before = JSON.parse(localStorage.getItem('graphs') ?? '[]');
  const submit = e => { e.preventDefault(); const id = e.target.elements.graph.value.trim(); if (id) location.hash = address({ graph: id, page: 'query', branch: 'main', snapshot: null, asOf: null }); };
  return html`<section class="card pad by-name"><h2>Open a graph</h2><p class="muted">${state.graphsRefused.message}. Give the id of a graph.</p>
    <form class="row" @submit=${submit}><input name="graph" aria-label="Id of a graph" required spellcheck="false" list="used"><datalist id="used">${before.map(g => html`<option value=${g}></option>`)}</datalist><button class="primary">Open</button></form>
    ${before.length ? html`<ul class="plain">${before.map(g => html`<li><a href=${address({ graph: g, page: 'query', branch: 'main', snapshot: null, asOf: null })}>${g}</a></li>`)}</ul>` : nothing}</section>`;
}

export function page() {
  if (state.graphsRefused) return byName();
  if (mine.error) return refused(mine.error, open);
  if (!state.graphs) return state.placeError ? refused(state.placeError, () => location.reload()) : waiting('Reading the graphs…');
  if (!state.graphs.length) return empty('The cluster has no graph.', html`Name one in cluster.yaml, then run <code>service cluster apply</code> and start the server again.`);
  const wanted = state.graphs.filter(g => g.display_name.toLowerCase().includes(mine.filter.toLowerCase())), shown = wanted.slice(0, CARDS_MAX);
  return html`<div class="home">
    <div class="headline"><h2>Graphs <span class="muted">${count(state.graphs.length)}</span></h2>
      ${state.graphs.length > 6 ? html`<input data-filter type="search" placeholder="Filter by name" aria-label="Filter graphs by name" .value=${mine.filter} @input=${e => change(() => { mine.filter = e.target.value; })}>` : nothing}
      <span class="grow"></span>
      ${mine.ready ? html`<span class="muted">${mine.ready.status} · revision ${mine.ready.ledger_revision} · <code>${short(mine.ready.applied_digest.replace('sha256:', ''))}</code></span>` : nothing}</div>
    <div class="cards">${shown.map(card)}</div>
    ${wanted.length > shown.length ? html`<p class="note">The first ${CARDS_MAX} of ${count(wanted.length)}. Filter by name.</p>` : nothing}
    ${wanted.length ? nothing : empty('No graph has such a name.')}
  </div>`;
}
