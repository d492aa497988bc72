// The editor, its parameters, and a result as table, picture, JSON and plan.
import { html, nothing } from 'lit-html';
import { ref } from 'lit-html/directives/ref.js';
import { state, change, part, address, note, target, forbids, say, past } from '../store.js';
import * as api from '../api.js';
import { readHeader } from '../gq.js';
import { createEditor, place } from '../parts/editor.js';
import { form, argumentsOf } from '../parts/form.js';
import { result, redraw } from '../parts/result.js';
import { confirmWrite } from '../parts/write.js';
import { showStored, showHistory, remember } from '../parts/saved.js';
import { copy } from '../parts/download.js';
import { plural, short } from '../parts/value.js';
import { inPattern, nodesOf, edgesOf } from '../types.js';

const ROWS_MAX = 5000, LINK_MILLIS = 5000;
const q = part('query', { text: '', name: null, stored: null, params: {}, checked: null, view: 'table', rowPage: 0, running: false, result: null, written: null, error: null, plan: null, millis: 0, selected: null, extra: [], graph: null });
let editor = null, running = null;

/** A first query that fits the types of the graph. */
function first() {
  const edge = edgesOf(state.types)[0], node = nodesOf(state.types)[0];
  if (edge) return `// Whole nodes and edges make a picture: choose Graph below.\nquery look($limit: I32 = 50) {\n  match {\n    $a $e:${inPattern(edge.name)} $b\n  }\n  return { $a, $e, $b }\n  limit $limit\n}\n`;
  return node ? `query look($limit: I32 = 50) {\n  match { $a: ${node.name} }\n  return { $a }\n  limit $limit\n}\n` : 'query look() {\n  return { 1 + 1 as two }\n}\n';
}

export async function open(link, { moved }) {
  const fresh = q.graph !== state.graph, linked = link.q && link.q !== q.text;
  change(() => {
    if (fresh) Object.assign(q, { graph: state.graph, result: null, written: null, plan: null, error: null, checked: null, params: {}, selected: null, extra: [] });
    if (linked) q.checked = null;
    if (link.q) q.text = link.q; else if (fresh || !q.text) q.text = first();
    if (link.view) q.view = link.view;
    if (link.p && (linked || fresh)) try { q.params = JSON.parse(link.p); } catch { /* a broken link has no parameters */ }
  });
  editor?.setText(q.text);
  editor?.setTypes(state.types);
  // A link may only read: /query refuses mutations.
  if (linked || (link.q && fresh)) await run('', { timeout_ms: LINK_MILLIS });
  else if (moved && (q.result || q.error?.unreachable) && !header().mutation) await run();
}

export function close() { running?.abort(); }

/** Esc closes the panel. */
export function key(e) { if (e.key === 'Escape' && q.selected) change(() => { q.selected = null; }); }

/** The stored query whose text is in the editor, unchanged: it is invoked by its name, which a credential may allow alone. */
const stored = () => q.stored && q.stored.source.trim() === q.text.trim() ? q.stored : null;
const header = () => {
  if (stored()) return { ...stored(), several: false };
  const queries = q.checked?.queries ?? [], found = queries.find(x => x.name === q.name) ?? queries[0];
  return found ? { name: found.name, params: found.params, mutation: found.mutation, several: queries.length > 1 } : { ...(readHeader(q.text) ?? { name: '', mutation: false }), params: [] };
};
const keep = () => note({ q: q.text, view: q.view });

export async function run(how = '', settings) {
  running?.abort();
  const mine = running = new AbortController(), text = q.text, start = performance.now();
  change(() => Object.assign(q, { running: true, error: null, written: null, rowPage: 0 }));
  try {
    // A link brings texts of parameters before their kinds are known.
    if (!stored() && !q.checked?.queries.length && Object.keys(q.params).length) await examine(text, mine.signal);
    const h = header();
    const source = how ? `${how} ${text.slice(text.search(/\bquery\b/))}` : text;
    const params = argumentsOf(h.params, q.params);
    const answer = stored() && !how && !settings ? await api.stored(state.graph, h.name, { ...target(), params, expect: 'read' }, mine.signal)
      : await api.query(state.graph, target(), source, { params, name: h.several && !how ? h.name : undefined, max_rows: ROWS_MAX, settings }, mine.signal);
    change(() => {
      Object.assign(q, { running: false, millis: performance.now() - start, selected: null });
      if (how) Object.assign(q, { plan: answer.rows, view: 'plan' });
      else Object.assign(q, { result: answer, plan: null, extra: [], view: q.view === 'plan' ? 'table' : q.view });
    });
    editor?.show([]);
    if (!how) remember(state.graph, text);
    say(how ? 'Plan ready' : plural(answer.row_count, 'row'));
    keep();
  } catch (e) {
    if (mine !== running) return;
    if (e.name === 'AbortError') { change(() => { q.running = false; }); return; }
    change(() => Object.assign(q, { running: false, error: e }));
    if (!how) editor?.show(e.body?.diagnostics ?? []);
    say(`Refused: ${e.message.split('\n')[0]}`);
  }
}

const stop = () => { running?.abort(); say('Stopped'); };

function write() {
  const h = header();
  confirmWrite({
    title: `Run ${h.name || 'the mutation'}`, statement: q.text,
    run: (branch, more, head) => stored() ? api.mutateStored(state.graph, h.name, { params: argumentsOf(h.params, q.params), branch, ...more, expect: 'mutation' }, head)
      : api.mutate(state.graph, { query: q.text, name: h.several ? h.name : undefined, params: argumentsOf(h.params, q.params), branch, ...more }, head),
    done: answer => { remember(state.graph, q.text); change(() => Object.assign(q, { written: answer, error: null, result: answer.columns ? { ...answer, query_name: h.name } : q.result })); },
  });
}

const act = () => header().mutation ? (forbids('change') ? say(forbids('change')) : write()) : run();

/** Asks for the findings of a text, and keeps what the server says of its queries, which makes the form. */
async function examine(text, signal) {
  const checked = await api.lint(state.graph, target(), text, signal);
  if (text === q.text) change(() => { q.checked = checked.queries.length || !q.checked ? checked : { ...checked, queries: q.checked.queries }; });
  return checked.diagnostics;
}

/** The server's findings at their places. */
async function check(view) {
  const text = view.state.doc.toString();
  if (!text.trim() || !state.graph) return [];
  try { return place(view.state.doc, await examine(text)); } catch { return []; }
}

const mount = ref(host => {
  if (!host) { editor?.view.destroy(); editor = null; return; }
  if (host.shadowRoot) return;
  editor = createEditor(host, { text: q.text, types: state.types, onChange: text => change(() => { q.text = text; }), onRun: act, onCheck: check });
  /** For tests. */
  window.console_.editor = editor;
  requestAnimationFrame(() => editor?.focus());
});

/** F6: from the editor to the parameters, to the result. */
export function cycle(back) {
  const stops = [() => editor?.focus(), () => document.querySelector('.params input, .params select')?.focus(), () => document.querySelector('.tabs [aria-selected=true]')?.focus()];
  const at = document.activeElement?.closest('.editor') ? 0 : document.activeElement?.closest('.params') ? 1 : document.activeElement?.closest('.result') ? 2 : back ? 0 : 2;
  const has = !!document.querySelector('.params'), next = (at + (back ? 2 : 1)) % 3;
  stops[next === 1 && !has ? (back ? 0 : 2) : next]();
}

addEventListener('themechange', redraw);

function link() {
  const withParams = Object.keys(q.params).length > 0;
  const to = address({ link: { q: q.text, view: q.view, p: withParams ? JSON.stringify(q.params) : null } });
  copy(new URL(to, location.href).href, /[?&]q=/.test(to) ? 'Link' : 'Link without the query, which is too long for one,');
}

function bar(h) {
  const denied = h.mutation ? forbids('change') : null;
  const load = (text, from = null) => { change(() => Object.assign(q, { text, stored: from, name: null, params: {} })); editor?.setText(text); editor?.focus(); };
  return html`<div class="bar">
    ${q.running ? html`<button class="stop" @click=${stop}><span class="spin"></span>Stop</button>`
      : html`<button class="primary" @click=${act} ?disabled=${!!denied} title=${denied ?? nothing}>${h.mutation ? 'Run…' : 'Run'} <kbd>Ctrl ↵</kbd></button>`}
    <button class="quiet" @click=${() => run('explain')}>Explain</button>
    <button class="quiet" @click=${() => run('explain analyze')} title=${h.mutation ? 'Runs what the mutation reads, and writes nothing' : nothing}>Analyze</button>
    ${q.checked?.queries.length > 1 ? html`<label class="pick"><span>Query</span><select @change=${e => change(() => { q.name = e.target.value; })}>${q.checked.queries.map(x => html`<option ?selected=${x.name === h.name}>${x.name}</option>`)}</select></label>` : nothing}
    <span class="grow"></span>
    ${stored() ? html`<span class="tag">stored query ${h.name}</span>` : nothing}
    ${denied ? html`<span class="tag warn-tag">${past() ? 'the past cannot be changed' : 'not allowed'}</span>` : h.mutation ? html`<span class="tag warn-tag">This query writes</span>` : html`<span class="tag">read</span>`}
    <button class="quiet" @click=${() => showStored(load)}>Stored queries</button><button class="quiet" @click=${() => showHistory(state.graph, load)}>History</button>
  </div>`;
}

export function page() {
  const h = header();
  return html`<div class="query">
    <section class="card edit" aria-label="Query">
      ${bar(h)}
      <div class="editor" ${mount}></div>
      ${form(html`Parameters of <code>${h.name}</code>`, h.params, q.params, (name, text) => change(() => { q.params[name] = text; }))}
    </section>
    ${result(q, { run, stop, keep, facts: q.result && !q.error ? html`<span class="facts"><b>${plural(q.result.row_count, 'row')}</b>${q.result.truncated ? ' and more' : ''} · ${q.millis.toFixed(0)} ms · at <code title=${q.result.graph_commit_id}>${short(q.result.graph_commit_id)}</code></span>` : nothing, link })}
  </div>`;
}
