// The history of all branches that the caller may read, newest first, and one commit in detail.
import { html, svg, nothing } from 'lit-html';
import { state, change, part, address, note, go, say, forbids } from '../store.js';
import * as api from '../api.js';
import { lanes, path } from '../parts/dag.js';
import { ask } from '../parts/dialog.js';
import { undo } from '../parts/undo.js';
import { refused, waiting, empty } from '../parts/states.js';
import { byType, totals, totalOf, steps } from '../parts/diff.js';
import { count, plural, when, clock, short } from '../parts/value.js';

const HIGH = 46, GAP = 18, PAGE = 200;
const KINDS = ['mutation', 'load', 'merge', 'schema', 'revert', 'restore', 'pick', 'genesis'];
const c = part('commits', { list: null, more: false, loading: false, graph: null, heads: {}, tags: new Map(), selected: null, detail: null, opened: new Set(), error: null, of: null });

const filterOf = link => ({ kind: link.kind || null, actor: link.actor || null });
const linkOf = over => ({ kind: state.link.kind, actor: state.link.actor, commit: c.selected, ...over });

export async function open(link, { moved }) {
  const of = JSON.stringify([state.graph, filterOf(link)]);
  if (moved || c.of !== of || !c.list) {
    change(() => Object.assign(c, { of, list: c.of === of ? c.list : null, error: null, detail: null }));
    try {
      const [tags, page] = await Promise.all([api.tags(state.graph).catch(() => ({ tags: [] })), api.commits(state.graph, { all: true, limit: PAGE, ...filterOf(link) })]);
      const heads = Object.fromEntries((state.branches ?? []).map(b => [b.name, b.head_commit_id])), names = new Map();
      for (const t of tags.tags) names.set(t.commit_id, [...(names.get(t.commit_id) ?? []), t.name]);
      change(() => Object.assign(c, { list: page.commits, more: page.commits.length === PAGE, heads, tags: names, graph: lanes(page.commits, heads) }));
    } catch (e) { change(() => { c.error = e; }); return; }
  }
  // Without a commit in the address: the one that is read, else the head, where the filter shows it.
  const first = state.snapshot ?? c.heads[state.branch], listed = c.list.some(x => x.graph_commit_id === first);
  await select(link.commit ?? (listed || state.snapshot ? first : c.list[0]?.graph_commit_id), false);
}

async function older() {
  change(() => { c.loading = true; });
  try {
    const page = await api.commits(state.graph, { all: true, limit: PAGE, before: c.list.at(-1).graph_commit_id, ...filterOf(state.link) });
    change(() => { c.list = [...c.list, ...page.commits]; Object.assign(c, { loading: false, more: page.commits.length === PAGE, graph: lanes(c.list, c.heads) }); });
  } catch (e) { change(() => Object.assign(c, { loading: false, error: e })); }
}

async function select(id, chosen = true) {
  if (!id) return;
  const known = c.list.find(x => x.graph_commit_id === id);
  change(() => { if (c.selected !== id) Object.assign(c, { detail: null, opened: new Set() }); c.selected = id; });
  if (chosen) note(linkOf({ commit: id }));
  if (c.detail?.cause) return;
  try {
    const [commit, detail] = await Promise.all([known ?? api.commit(state.graph, id), api.changes(state.graph, id, { limit: PAGE })]);
    if (c.selected === id) change(() => { c.detail = { ...detail, commit }; });
  } catch (e) { if (c.selected === id) change(() => { c.detail = { error: e }; }); }
}

async function moreChanges() {
  const d = c.detail;
  try { const next = await api.changes(state.graph, c.selected, { limit: PAGE, page_token: d.next_page_token }); if (c.detail === d) change(() => { c.detail = { ...d, changes: [...d.changes, ...next.changes], next_page_token: next.next_page_token }; }); }
  catch (e) { change(() => { c.detail = { error: e }; }); }
}

function keys(e) {
  const i = c.list.findIndex(x => x.graph_commit_id === c.selected);
  const to = { ArrowDown: i + 1, ArrowUp: i - 1, j: i + 1, k: i - 1, Home: 0, End: c.list.length - 1 }[e.key];
  if (e.key === 'Enter') { document.querySelector('.detail .button')?.focus(); return; }
  if (to === undefined || !c.list[to]) return;
  e.preventDefault();
  select(c.list[to].graph_commit_id);
  requestAnimationFrame(() => document.querySelector('.commit[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }));
}
export const key = e => { if ('jk'.includes(e.key) && c.list) keys(e); };

function row({ commit: x, hue }, names, hues) {
  const id = x.graph_commit_id, from = x.merged_parent_commit_id;
  return html`<div class="commit" id="c-${id}" role="option" aria-selected=${id === c.selected} @click=${() => select(id)}>
    <span class="kind">${x.kind}</span>
    <span class="what">${names.map(n => html`<span class="ref l${hues.get(n) ?? hue}">${n}</span>`)}${(c.tags.get(id) ?? []).map(t => html`<span class="ref tagged" title="tag">⚑ ${t}</span>`)}<span class="counts">${totals(x.changes)}</span>
      ${x.message ? html`<span class="message" title=${x.message}>${x.message.split('\n')[0]}</span>` : from ? html`<span class="muted">from ${c.list.find(y => y.graph_commit_id === from)?.graph_branch ?? short(from)}</span>` : nothing}</span>
    <span class="who">${x.actor_id ?? 'anonymous'}</span>
    <time datetime=${x.created_at} title=${x.created_at}>${when(x.created_at)}</time>
    <code class="id">${short(id)}</code>
  </div>`;
}

function graph({ rows, edges, hues, width }) {
  const heads = Object.entries(c.heads), room = 24 + Math.min(width, 14) * GAP;
  return html`<div class="dag" role="listbox" tabindex="0" aria-label="Commits, newest first" aria-activedescendant="c-${c.selected}" @keydown=${keys}>
    <svg class="lanes" width=${room} height=${rows.length * HIGH} aria-hidden="true">
      ${edges.map(e => svg`<path class="lane l${e.hue} ${e.cut ? 'cut' : ''}" d=${path(e, GAP, HIGH)}/>`)}
      ${rows.map(r => svg`<circle class="dot l${r.hue} ${r.commit.merged_parent_commit_id ? 'merge' : ''}" cx=${16 + r.lane * GAP} cy=${HIGH / 2 + r.row * HIGH} r=${r.commit.merged_parent_commit_id ? 6 : 4.5}/>`)}
    </svg>
    <div class="list">${rows.map(r => row(r, heads.filter(([, h]) => h === r.commit.graph_commit_id).map(([n]) => n), hues))}
      ${c.more ? html`<button class="quiet older" ?disabled=${c.loading} @click=${older}>${c.loading ? 'Reading…' : `${PAGE} older commits`}</button>` : nothing}</div>
  </div>`;
}

function branchFrom(id) {
  const mine = { name: '' };
  ask({
    title: 'Branch from here', action: 'Create the branch', ready: () => mine.name.trim() !== '',
    body: () => html`<p>At commit <code>${short(id)}</code> of ${state.graph}.</p><label class="field"><span>Name</span><input autocomplete="off" spellcheck="false" .value=${mine.name} @input=${e => { mine.name = e.target.value; change(); }}></label>`,
    async run() { await api.createBranch(state.graph, { name: mine.name.trim(), from: id }); return () => { say(`Branch ${mine.name} created`); go({ page: 'query', branch: mine.name.trim(), snapshot: null, asOf: null }); }; },
  });
}

function detail() {
  const d = c.detail, x = d?.commit ?? c.list.find(y => y.graph_commit_id === c.selected);
  if (!x) return d?.error ? html`<article class="card detail">${refused(d.error)}</article>` : html`<article class="card detail">${waiting('Reading the commit…')}</article>`;
  const jump = id => html`<button class="link" @click=${() => select(id)}><code>${short(id)}</code></button>`;
  const denied = state.actions && !state.actions.has('branch_create') ? 'Your credential may not create branches.' : null;
  const writes = forbids('change');
  return html`<article class="card detail" aria-label="Commit">
    <header><h2><code>${x.graph_commit_id}</code></h2><span class="kind">${x.kind}</span></header>
    ${x.message ? html`<p class="message whole">${x.message}</p>` : nothing}
    <dl class="facts-list">
      <dt>Branch</dt><dd>${x.graph_branch}</dd><dt>Actor</dt><dd>${x.actor_id ?? html`<span class="muted">anonymous</span>`}</dd>
      <dt>Time</dt><dd>${clock(x.created_at)} UTC</dd><dt>Log offset</dt><dd class="num">${x.log_offset}</dd>
      <dt>${x.merged_parent_commit_id ? 'Parents' : 'Parent'}</dt><dd>${x.parent_commit_id ? jump(x.parent_commit_id) : html`<span class="muted">none: the first commit</span>`}${x.merged_parent_commit_id ? html` and ${jump(x.merged_parent_commit_id)}` : nothing}</dd>
      ${x.of_commit_id ? html`<dt>Of</dt><dd>${jump(x.of_commit_id)}</dd>` : nothing}
      ${(c.tags.get(x.graph_commit_id) ?? []).length ? html`<dt>Tags</dt><dd>${c.tags.get(x.graph_commit_id).join(', ')}</dd>` : nothing}
      ${Object.entries(x.meta ?? {}).map(([k, v]) => html`<dt>${k}</dt><dd>${v}</dd>`)}
    </dl>
    <div class="row"><a class="button primary" href=${address({ page: 'query', snapshot: x.graph_commit_id, asOf: null })}>Read at this commit</a>
      <a class="button" href=${address({ page: 'branches', link: { from: x.graph_commit_id, to: state.branch, tab: 'differ' } })}><span>Compare with ${state.branch}</span></a>
      <button ?disabled=${!!denied} title=${denied ?? nothing} @click=${() => branchFrom(x.graph_commit_id)}>Branch from here…</button>
      <a class="button quiet" href=${address({ page: 'feed', branch: x.graph_branch, snapshot: null, asOf: null, link: { start: `after:${x.graph_commit_id}` } })}>Feed from here</a>
      ${['revert', 'pick', 'restore'].map(how => html`<button class="quiet" ?disabled=${!!writes || (how !== 'restore' && (x.kind === 'genesis' || x.kind === 'schema'))} title=${writes ?? nothing} @click=${() => undo(how, x.graph_commit_id)}>${{ revert: 'Revert…', pick: 'Pick…', restore: 'Restore…' }[how]}</button>`)}</div>
    ${!d ? waiting('Reading the changes…') : d.error ? refused(d.error) : html`
      <h3>${d.schema_change ? 'Schema change' : html`Changes ${totals(x.changes)}`}</h3>
      ${d.schema_change ? steps(d.schema_change.steps) : nothing}
      ${!d.schema_change && !d.changes.length ? html`<p class="muted">It changed no entity.</p>` : nothing}
      ${byType(d.changes, c.opened, name => change(() => { c.opened = new Set([...c.opened, name]); }))}
      ${d.next_page_token ? html`<p class="note">The first ${count(d.changes.length)} of ${count(totalOf(x.changes))} changes. <button class="link" @click=${moreChanges}>Show more</button></p>` : nothing}`}
  </article>`;
}

function filters() {
  const { kind, actor } = filterOf(state.link), set = over => { location.hash = address({ link: linkOf({ commit: null, ...over }) }); };
  return html`<label class="pick"><span>Kind</span><select @change=${e => set({ kind: e.target.value })}><option value="" ?selected=${!kind}>all</option>${KINDS.map(k => html`<option ?selected=${k === kind}>${k}</option>`)}</select></label>
    <form class="filter" @submit=${e => { e.preventDefault(); set({ actor: e.target.elements.actor.value.trim() }); }}><input name="actor" data-filter type="search" placeholder="actor" aria-label="Filter by actor" spellcheck="false" .value=${actor ?? ''}></form>`;
}

export function page() {
  if (c.error) return refused(c.error, () => { c.of = null; open(state.link, {}); });
  if (!c.list) return waiting('Reading the history…');
  return html`<div class="commits">
    <section class="card history" aria-label="History">
      <div class="bar"><h2>History</h2><span class="muted">${plural(c.list.length, 'commit', 'commits', c.more ? '+' : '')}, ${plural(Object.keys(c.heads).length, 'branch', 'branches')}</span><span class="grow"></span>${filters()}</div>
      ${c.list.length ? graph(c.graph) : empty('No commit fits the filter.')}
    </section>
    ${c.selected ? detail() : nothing}
  </div>`;
}
