// One record: properties, blobs, edges by type and direction, who changed it, and its neighbourhood as a picture.
import { html, nothing } from 'lit-html';
import { state, change, target, forbids, address, say } from '../store.js';
import * as api from '../api.js';
import { inPattern } from '../types.js';
import { refused, waiting, empty } from './states.js';
import { counts, along, around, EXPANDED } from './neighbours.js';
import { elementsOf, drawGraph, pictureHost } from './graph.js';
import { changeItem } from './diff.js';
import { blobCell } from './blob.js';
import { editRecord, deleteRecord } from './records-write.js';
import { dataLink } from './entity.js';
import { whole, count, colourOf, labelOf, isEdge, when, short, visible } from './value.js';

/** The record that is shown; `id` is null without one. */
export const recordState = { id: null, type: null, entity: null, error: null, sides: null, open: new Map(), history: null, drawn: [], undo: [], chosen: null };
const r = recordState;

export async function openRecord(type, id, moved) {
  if (!moved && r.id === id && r.type === type && (r.entity || r.error)) return;
  change(() => Object.assign(r, { id, type, entity: null, error: null, sides: null, open: new Map(), history: null, drawn: [], undo: [], chosen: null }));
  if (!id) return;
  const of = state.types.get(type), mine = () => r.id === id && r.type === type;
  const bound = of.kind === 'node' ? `$r: ${type}` : `$a $r:${inPattern(type)} $b`;
  try {
    // A whole entity has no vectors: they are asked for by name.
    const vectors = of.properties.filter(p => p.kind === 'vector').map(p => p.name), named = vectors.map((name, i) => `, $r.${name} as v${i}`).join('');
    const { rows } = await api.query(state.graph, target(), `query one($id: String) { match { ${bound}  $r.@id = $id } return { $r${named} } limit 1 }`, { params: { id } });
    if (!mine()) return;
    change(() => { r.entity = rows.length ? { ...rows[0].r, ...Object.fromEntries(vectors.map((name, i) => [name, rows[0][`v${i}`]])) } : null; r.error = rows.length ? null : Object.assign(new Error(`${type} ${id} is not in this state`), { status: 404, code: 'not_found' }); });
    if (r.entity && of.kind === 'node') { const sides = await counts(state.graph, target(), state.types, r.entity); if (mine()) change(() => { r.sides = sides; }); }
  } catch (e) { if (mine()) change(() => { r.error = e; }); }
}

async function more(side) {
  const name = `${side.edge.name} ${side.direction}`, had = r.open.get(name) ?? [];
  try { const next = await along(state.graph, target(), r.entity, side, EXPANDED, had.length); change(() => { r.open.set(name, [...had, ...next]); }); }
  catch (e) { change(() => { r.error = e; }); }
}

function edges() {
  if (!r.sides) return waiting('Counting the edges…');
  const some = r.sides.filter(s => s.count), none = r.sides.filter(s => !s.count);
  return html`${some.map(s => {
    const list = r.open.get(`${s.edge.name} ${s.direction}`);
    return html`<details class="group" @toggle=${e => { if (e.target.open && !list) more(s); }}><summary>${s.direction === 'out' ? '→' : '←'} <b>${s.edge.name}</b> <span class="muted">${s.direction === 'out' ? `to ${s.edge.toText}` : `from ${s.edge.fromText}`}</span> <b class="n">${count(s.count)}</b></summary>
      ${list ? html`<ul class="plain">${list.map(({ edge, other }) => html`<li><span class="badge c${colourOf(other['@type'])}"><i></i></span>${dataLink(other['@type'], other['@id'])}${labelOf(other) === other['@id'] ? nothing : html` ${visible(String(labelOf(other)))}`} <a class="muted" href=${address({ page: 'data', link: { type: edge['@type'], id: String(edge['@id']) } })}>edge</a></li>`)}</ul>
      ${list.length < s.count ? html`<button class="link" @click=${() => more(s)}>${EXPANDED} more of ${count(s.count)}</button>` : nothing}` : nothing}</details>`;
  })}${some.length ? nothing : html`<p class="muted">No edges.</p>`}${some.length && none.length ? html`<p class="muted">None: ${none.map(s => `${s.direction === 'out' ? '→' : '←'} ${s.edge.name}`).join(', ')}</p>` : nothing}`;
}

async function readHistory(type) {
  change(() => { r.history = {}; });
  const where = target();
  try { const h = await api.history(state.graph, { entity: type.kind, type: type.name, id: r.id, ...where, limit: 50 }); change(() => { r.history = h; }); }
  catch (e) { change(() => { r.history = { error: e }; }); }
}

function past() {
  const h = r.history;
  if (!h) return nothing;
  if (h.error) return refused(h.error);
  if (!h.changes) return waiting('Reading who changed it…');
  if (!h.changes.length) return empty('No commit of this branch changed it.');
  return html`<ol class="past-list">${h.changes.map(c => html`<li><div><a href=${address({ page: 'commits', link: { commit: c.commit.graph_commit_id } })}><code>${short(c.commit.graph_commit_id)}</code></a> <b>${c.commit.actor_id ?? 'anonymous'}</b> <time datetime=${c.commit.created_at}>${when(c.commit.created_at)}</time> <span class="kind">${c.commit.kind}</span></div>
    ${c.commit.message ? html`<p class="message">${c.commit.message}</p>` : nothing}<ul class="changes">${changeItem({ ...c, id: r.id })}</ul></li>`)}</ol>`;
}

const host = pictureHost((element, drawn) => drawGraph(element, elementsOf({ columns: ['x'], rows: [{ x: [r.entity, ...drawn] }] }, state.types), state.types, { say, selected: r.chosen, onSelect: entity => { r.chosen = entity; }, onExpand: expand, onPlaced: () => {} }));
addEventListener('themechange', () => host.picture?.redraw());

async function expand(entity) {
  if (!entity || isEdge(entity)) return;
  const { entities, left } = await around(state.graph, target(), state.types, entity);
  change(() => { r.undo.push(r.drawn); r.drawn = [...r.drawn, ...entities]; });
  if (left.length) say(`Loaded ${left.join(', ')}`);
}
const back = e => { if (e.key === 'Backspace' && r.undo.length) { e.preventDefault(); change(() => { r.drawn = r.undo.pop(); }); } };

function neighbourhood() {
  return html`<div class="picture small" @keydown=${back}><div class="canvas" tabindex="0" role="application" aria-roledescription="graph picture" aria-label="The neighbourhood. Enter expands a node, Backspace takes the last expansion back." ${host.of(r.drawn)}></div></div>`;
}

/** @param hooks `close` an address, `view(name)` keeps the view, `shown` the view, `name(entity)`, `like` names of vectors with addresses */
export function record(type, hooks) {
  const e = r.entity, denied = forbids('change'), view = hooks.shown;
  const pick = name => { hooks.view(view === name ? null : name); if (name === 'history' && !r.history) readHistory(type); if (name === 'picture' && !r.drawn.length) expand(e); };
  // Until the page has been opened the record is still the one before.
  const here = e && !state.reading;
  if (here && view === 'history' && !r.history) queueMicrotask(() => readHistory(type));
  if (here && view === 'picture' && !r.drawn.length && type.kind === 'node' && !r.undo.length) queueMicrotask(() => { r.undo.push([]); expand(e); });
  return html`<section class="card record" aria-label="Record">
    <header><span class="badge ${type.kind === 'node' ? 'c' + colourOf(type.name) : ''}"><i></i>${type.name}</span><span class="grow"></span><a class="button icon" href=${hooks.close} aria-label="Close the record">×</a></header>
    ${r.error ? refused(r.error, () => openRecord(r.type, r.id, true)) : !e ? waiting('Reading the record…') : html`
      <h2>${hooks.name(e)}</h2>
      <div class="row"><button aria-pressed=${view === 'history'} @click=${() => pick('history')}>Who changed this?</button>${type.kind === 'node' ? html`<button aria-pressed=${view === 'picture'} @click=${() => pick('picture')}>Draw</button>` : nothing}
        ${hooks.like.map(([name, to]) => html`<a class="button" href=${to} title=${`by ${name}`}>Similar records</a>`)}
        <button ?disabled=${!!denied} title=${denied ?? nothing} @click=${() => editRecord(type, e)}>Edit…</button><button class="danger-quiet" ?disabled=${!!denied} title=${denied ?? nothing} @click=${() => deleteRecord(type, e)}>Delete…</button></div>
      ${view === 'picture' && type.kind === 'node' ? neighbourhood() : nothing}
      ${view === 'history' ? past() : html`
      <dl><dt>@id</dt><dd><code>${visible(String(e['@id']))}</code></dd>
        ${type.kind === 'edge' ? html`<dt>@src</dt><dd>${dataLink(e['@src_type'] ?? type.from, e['@src'])}</dd><dt>@dst</dt><dd>${dataLink(e['@dst_type'] ?? type.to, e['@dst'])}</dd>` : nothing}
        ${type.properties.map(p => html`<dt title=${p.description ?? nothing}>${p.name}</dt><dd>${p.kind === 'blob' ? blobCell(type, e, p) : whole(e[p.name])}</dd>`)}</dl>
      ${type.kind === 'node' ? html`<h3>Edges</h3>${edges()}` : nothing}`}`}
  </section>`;
}
