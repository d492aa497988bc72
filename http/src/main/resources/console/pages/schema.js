// The types of the graph as a picture, as tables and as source; and the commits that changed them.
import { html, nothing } from 'lit-html';
import { state, change, part, address, note, target, say } from '../store.js';
import * as api from '../api.js';
import { nodesOf, edgesOf } from '../types.js';
import { drawGraph, pictureHost } from '../parts/graph.js';
import { refused, waiting, empty } from '../parts/states.js';
import { steps as stepList } from '../parts/diff.js';
import { copy } from '../parts/download.js';
import { plural, clock, short, colourOf } from '../parts/value.js';

const DRAWN_TYPES_MAX = 200;
const VIEWS = [['types', 'Types'], ['picture', 'Picture'], ['source', 'Source'], ['history', 'History']];
const mine = part('schemaPage', { view: 'types', type: null, source: null, commits: null, steps: new Map(), error: null, of: null });

export async function open(link) {
  const of = `${state.graph} ${state.catalog?.graph_commit_id}`;
  change(() => {
    mine.view = VIEWS.some(v => v[0] === link.view) ? link.view : 'types';
    mine.type = link.type ?? null;
    if (mine.of !== of) Object.assign(mine, { of, source: null, commits: null, steps: new Map(), error: null });
  });
  await load();
  if (mine.type) document.getElementById(`type-${mine.type}`)?.scrollIntoView({ block: 'start' });
}

async function load() {
  try {
    if (mine.view === 'source' && !mine.source) { const s = await api.schema(state.graph, target()); change(() => { mine.source = s.schema_source; }); }
    if (mine.view === 'history' && !mine.commits) { const c = await api.commits(state.graph, { branch: state.branch, kind: 'schema', limit: 200 }); change(() => { mine.commits = c.commits; }); }
  } catch (e) { change(() => { mine.error = e; }); }
}

const show = view => { change(() => { mine.view = view; mine.error = null; }); note({ view, type: mine.type }); load(); };
const counted = name => state.counts?.types.find(t => t.type_name === name)?.entity_count ?? 0;
const dataOf = name => address({ page: 'data', link: { type: name } });

const bound = c => c.kind === 'unique' ? `unique (${c.members.join(', ')})` : c.kind === 'check' ? `${c.members[0]} matches ${c.pattern}` : `${c.members[0]} ${c.min !== undefined ? `≥ ${c.min}` : ''} ${c.max !== undefined ? `≤ ${c.max}` : ''}`;

function marks(type, p) {
  return [p.key && 'key', !p.key && p.unique && 'unique', !p.key && !p.unique && p.index && 'index', p.search && (p.search === true ? 'search' : `search ${p.search}`), p.default !== undefined && `default ${JSON.stringify(p.default)}`]
    .filter(Boolean).map(m => html`<span class="tag">${m}</span>`);
}

function section(type) {
  // A key or a unique property is marked already.
  const bounds = type.constraints.filter(c => c.kind !== 'unique' || c.members.length > 1);
  const several = type.indexes.filter(x => x.members.length > 1);
  return html`<section class="card type" id="type-${type.name}" aria-label=${type.name}>
    <header><span class="badge ${type.kind === 'node' ? 'c' + colourOf(type.name) : ''}"><i></i></span><h2>${type.name}</h2><span class="muted">${type.kind === 'edge' ? `${type.fromText} → ${type.toText}${type.cardinality ? `, ${type.cardinality} from each` : ''}` : type.kind === 'interface' ? `interface of ${type.implementers.join(', ')}` : type.interfaces?.length ? `implements ${type.interfaces.join(', ')}` : ''}</span>
      <span class="grow"></span>${type.kind === 'interface' ? nothing : html`<a href=${dataOf(type.name)}>${plural(counted(type.name), type.kind === 'node' ? 'record' : 'edge')}</a>`}</header>
    ${type.description ? html`<p class="muted pad-line">${type.description}</p>` : nothing}
    ${type.properties.length ? html`<table class="props"><thead class="sr"><tr><th>Property</th><th>Type</th><th>Marks</th><th>Description</th></tr></thead><tbody>${type.properties.map(p => html`<tr><th scope="row">${p.name}</th><td><code>${p.type}${p.nullable ? '?' : ''}</code></td><td>${marks(type, p)}</td><td class="muted">${p.description ?? nothing}</td></tr>`)}</tbody></table>` : html`<p class="muted pad-line">No properties.</p>`}
    ${several.length ? html`<p class="muted pad-line">Indexes: ${several.map((x, i) => html`${i ? '; ' : ''}<code>${x.unique ? 'unique ' : ''}(${x.members.join(', ')})</code>`)}</p>` : nothing}
    ${bounds.length ? html`<p class="muted pad-line">Constraints: ${bounds.map((c, i) => html`${i ? '; ' : ''}<code>${bound(c)}</code>`)}</p>` : nothing}
  </section>`;
}

const host = pictureHost(element => {
  const elements = { nodes: new Map(nodesOf(state.types).map(t => [`${t.name}/${t.name}`, { '@type': t.name, '@id': t.name, name: t.name }])), edges: new Map() };
  for (const e of edgesOf(state.types)) for (const from of e.fromTypes) for (const to of e.toTypes)
    elements.edges.set(`${e.name}/${from}/${to}`, { '@type': e.name, '@id': e.name, '@src': from, '@dst': to, '@src_type': from, '@dst_type': to });
  return drawGraph(element, elements, state.types, { say, onSelect: entity => change(() => { mine.type = entity?.['@type'] ?? null; }), onExpand: entity => { location.hash = dataOf(entity['@type']); }, onPlaced: () => {} });
});
addEventListener('themechange', () => host.picture?.redraw());

function pictured() {
  if (nodesOf(state.types).length > DRAWN_TYPES_MAX) return empty(`More than ${DRAWN_TYPES_MAX} types are not drawn.`, 'Types lists them all.');
  const type = state.types.get(mine.type);
  return html`<div class="card drawn"><div class="picture"><div class="canvas" tabindex="0" role="application" aria-roledescription="graph picture" aria-label="The types and the edges between them. Arrow keys move, Enter shows the records. Types lists the same." ${host.of(state.catalog)}></div></div>${type ? html`<div class="below">${section(type)}</div>` : nothing}</div>`;
}

async function openSteps(id) {
  if (mine.steps.has(id)) return;
  try { const d = await api.changes(state.graph, id, { limit: 1 }); change(() => { mine.steps.set(id, d.schema_change?.steps ?? []); }); }
  catch (e) { change(() => { mine.steps.set(id, e); }); }
}

function history() {
  if (!mine.commits) return waiting('Reading the schema commits…');
  if (!mine.commits.length) return empty('The schema of this branch has never changed.', 'service cluster apply changes it; each change is a commit.');
  return html`<ul class="plain card pad">${mine.commits.map(c => {
    const steps = mine.steps.get(c.graph_commit_id);
    return html`<li><details @toggle=${e => { if (e.target.open) openSteps(c.graph_commit_id); }}><summary><b>${clock(c.created_at)}</b> ${c.actor_id ?? ''} <code>${short(c.graph_commit_id)}</code> ${c.message ?? nothing}</summary>
      ${!steps ? waiting('Reading the steps…') : steps instanceof Error ? refused(steps) : stepList(steps)}
      <a href=${address({ page: 'commits', link: { commit: c.graph_commit_id } })}>Open the commit</a></details></li>`;
  })}</ul>`;
}

function body() {
  if (mine.error) return refused(mine.error, () => show(mine.view));
  if (mine.view === 'picture') return pictured();
  if (mine.view === 'history') return history();
  if (mine.view === 'source') return mine.source === null ? waiting('Reading the source…') : html`<section class="card"><div class="bar"><span class="muted">${state.catalog.schema_digest.slice(0, 23)}…</span><span class="grow"></span><button class="quiet" @click=${() => copy(mine.source, 'Source')}>Copy</button></div><pre class="json scroll" tabindex="0">${mine.source}</pre></section>`;
  const types = [...nodesOf(state.types), ...edgesOf(state.types), ...[...state.types.values()].filter(t => t.kind === 'interface')];
  return types.length ? html`<div class="types">${types.map(section)}</div>` : empty('The schema has no type.', 'Write one into the schema file and run service cluster apply.');
}

export function page() {
  return html`<div class="stack"><nav class="tabs" aria-label="Views of the schema">${VIEWS.map(([id, name]) => html`<button aria-pressed=${mine.view === id} @click=${() => show(id)}>${name}</button>`)}<span class="grow"></span><span class="facts"><b>${plural(nodesOf(state.types).length, 'node type')}</b> · <b>${plural(edgesOf(state.types).length, 'edge type')}</b></span></nav>${body()}</div>`;
}
