// The result of a query in four views, with the panel of a selected entity.
import { html, nothing } from 'lit-html';
import { state, change, target, address, say } from '../store.js';
import { toJson } from '../api.js';
import { ask, close } from './dialog.js';
import { refused, waiting, empty } from './states.js';
import { table } from './table.js';
import { plan } from './plan.js';
import { elementsOf, drawGraph, pictureHost, DRAWN_MAX } from './graph.js';
import { around, among } from './neighbours.js';
import { entityPanel } from './entity.js';
import { FORMATS, saveRows, copy } from './download.js';
import { count, plural, colourOf, isNode, isEdge, short, visible } from './value.js';

const VIEWS = [['table', 'Table'], ['graph', 'Graph'], ['json', 'JSON'], ['plan', 'Plan']];
const JSON_ROWS = 200;
let busy = false, shown = null;

export const redraw = () => host.picture?.redraw();

/** What is drawn: the result, and what was loaded to it since. Kept until either changes. */
let drawn = { of: null, extra: null, elements: null };
function elements(q) {
  if (drawn.of !== q.result || drawn.extra !== q.extra)
    drawn = { of: q.result, extra: q.extra, elements: elementsOf({ columns: ['x', ...q.result.columns], rows: [...q.result.rows, { x: q.extra }] }, state.types) };
  return drawn.elements;
}

async function load(q, what, job) {
  if (busy) return;
  busy = true;
  say(`Loading ${what}`);
  try {
    const { entities, left } = await job();
    change(() => { q.extra = [...q.extra, ...entities]; });
    say(left?.length ? `Loaded ${left.join(', ')}` : `${plural(entities.filter(isEdge).length, 'edge')} loaded`);
  } catch (e) { change(() => { q.error = e; }); } finally { busy = false; change(); }
}
const expand = (q, entity) => { if (!isEdge(entity)) load(q, 'what is around', () => around(state.graph, target(), state.types, entity)); };
const connect = q => load(q, 'edges', async () => ({ entities: await among(state.graph, target(), state.types, [...elements(q).nodes.values()]) }));

const host = pictureHost((element, now) => {
  const q = shown, cover = element.parentElement.querySelector('.placing'), start = performance.now();
  cover.hidden = false;
  const picture = drawGraph(element, now, state.types, {
    say, selected: q.selected, onSelect: entity => change(() => { q.selected = entity; }), onExpand: entity => expand(q, entity),
    onPlaced: done => { cover.hidden = true; window.console_.picture = { picture, done, millis: { layout: picture.millis, all: performance.now() - start } }; },
  });
  return picture;
});

function picturePane(q) {
  shown = q;
  const { nodes, edges, all } = elements(q);
  if (!nodes.size) return empty('Nothing to draw.', html`Return whole nodes and edges, as in <code>return { $a, $e, $b }</code>, to see a picture.`);
  const kinds = new Map();
  for (const n of nodes.values()) kinds.set(n['@type'], (kinds.get(n['@type']) ?? 0) + 1);
  return html`<div class="picture">
    <div class="canvas" tabindex="0" role="application" aria-roledescription="graph picture" aria-label="${plural(nodes.size, 'node')} and ${plural(edges.size, 'edge')}. Arrow keys move between neighbours, plus and minus zoom, Enter expands. The table lists the same." ${host.of(elements(q))}></div>
    <p class="placing" hidden><span class="spin"></span>Placing ${plural(nodes.size, 'node')}…</p>
    <ul class="legend" aria-label="Legend">${[...kinds].map(([t, n]) => html`<li><span class="badge c${colourOf(t)}"><i></i>${t} <b>${count(n)}</b></span></li>`)}${edges.size ? html`<li class="muted">${plural(edges.size, 'edge')}</li>` : nothing}${all > DRAWN_MAX ? html`<li class="warn">the first ${count(DRAWN_MAX)} of ${count(all)} nodes</li>` : nothing}</ul>
    ${edges.size ? nothing : html`<button class="connect" ?disabled=${busy} @click=${() => connect(q)}>Connect these nodes</button>`}
    <div class="zoom"><button class="icon" aria-label="Zoom in" @click=${() => host.picture?.zoom(1.3)}>+</button><button class="icon" aria-label="Zoom out" @click=${() => host.picture?.zoom(1 / 1.3)}>−</button><button class="icon" aria-label="Fit into view" @click=${() => host.picture?.fit()}>⤢</button></div>
  </div>`;
}

function written(q) {
  const w = q.written, commit = w.commit;
  if (!commit) return html`<p class="done" role="status">Nothing had to change.</p>`;
  return html`<div class="done" role="status"><b>Written.</b> ${plural(w.affected_nodes ?? 0, 'node')} and ${plural(w.affected_edges ?? 0, 'edge')} on ${w.branch}, as <a href=${address({ page: 'commits', link: { commit: commit.graph_commit_id } })}><code>${short(commit.graph_commit_id)}</code></a>.</div>`;
}

function body(q, hooks) {
  // What was shown stays below a refusal.
  if (q.error) return html`${refused(q.error)}${q.result ? html`<p class="note">The rows of the query that ran before:</p>${shownRows(q)}` : nothing}`;
  if (q.running && !q.result) return waiting('Running…', hooks.stop);
  if (!q.result && !q.plan) return q.written ? nothing : empty('Nothing has run yet.', 'Ctrl-Enter runs the query. Types, edges and properties complete as you type.');
  if (q.view === 'plan' && q.plan) return plan(q.plan);
  if (!q.result) return empty('Run the query to see its rows.');
  return shownRows(q);
}

function shownRows(q) {
  if (q.view === 'graph') return picturePane(q);
  if (q.view === 'json') return html`<pre class="json scroll" tabindex="0">${visible(toJson(q.result.rows.slice(0, JSON_ROWS), 2)).replaceAll('⟨U+000A⟩', '\n')}</pre>${q.result.rows.length > JSON_ROWS ? html`<p class="note">The first ${JSON_ROWS} rows. Export has all.</p>` : nothing}`;
  return table(q.result, entity => change(() => { q.selected = entity; }), q.rowPage, page => change(() => { q.rowPage = page; }));
}

function tabs(q, { run, keep }) {
  const pick = id => () => { if (id === 'plan' && !q.plan) run('explain analyze'); else { change(() => { q.view = id; }); keep(); } };
  const key = e => { const d = { ArrowRight: 1, ArrowLeft: -1 }[e.key]; if (d) { const all = [...e.currentTarget.querySelectorAll('[role=tab]')]; all[(all.indexOf(document.activeElement) + d + all.length) % all.length].focus(); } };
  return html`<div class="tabs" role="tablist" aria-label="Views of the result" @keydown=${key}>${VIEWS.map(([id, name]) => html`<button role="tab" id="tab-${id}" aria-controls="pane" aria-selected=${q.view === id} tabindex=${q.view === id ? 0 : -1} @click=${pick(id)}>${name}</button>`)}</div>`;
}

function exporting(q) {
  ask({ title: 'Export', body: () => html`<p>${plural(q.result.rows.length, 'row')}${q.result.truncated ? ', the first of more' : ''}. The file is made in this browser.</p><div class="row">${Object.keys(FORMATS).map(f => html`<button type="button" @click=${() => { saveRows(q.result, f); close(); }}>${f.toUpperCase()}</button>`)}</div>` });
}

function panel(q) {
  if (!q.selected && !(q.view === 'graph' && q.result && !q.error)) return nothing;
  const e = q.selected;
  return entityPanel(e, () => change(() => { q.selected = null; }), !isNode(e) ? nothing : html`<div class="row">
    <button class="quiet" ?disabled=${busy} @click=${() => { change(() => { q.view = 'graph'; }); expand(q, e); }}>Expand</button>
    <a class="button quiet" href=${address({ page: 'data', link: { type: e['@type'], id: String(e['@id']) } })}>Open in Data</a></div>`);
}

/** @param hooks `run(how)`, `stop()` ends the run, `keep()` puts the view into the address, `link()` copies it, `facts` a template */
export function result(q, hooks) {
  return html`<section class="card result" aria-label="Result">
    <div class="bar">${tabs(q, hooks)}<span class="grow"></span>${hooks.facts}
      ${q.result && !q.error && q.view === 'json' ? html`<button class="quiet" @click=${() => copy(toJson(q.result.rows.slice(0, JSON_ROWS), 2), 'JSON')}>Copy JSON</button>` : nothing}${q.result && !q.error ? html`<button class="quiet" @click=${hooks.link}>Copy link</button><button class="quiet" @click=${() => exporting(q)}>Export</button>` : nothing}
    </div>
    <div class="pane ${q.selected ? 'with-side' : ''}" id="pane" role="tabpanel" aria-labelledby="tab-${q.view}"><div class="body">${q.written ? written(q) : nothing}${body(q, hooks)}</div>${panel(q)}</div>
  </section>`;
}
