// The branches, what two states differ in, and a merge with its preview and conflicts.
import { html, nothing } from 'lit-html';
import { state, change, part, address, go, past, say } from '../store.js';
import * as api from '../api.js';
import { ask } from '../parts/dialog.js';
import { refused, waiting, empty } from '../parts/states.js';
import { byType, steps } from '../parts/diff.js';
import { mergePane, preview, mergeState } from '../parts/merge.js';
import { count, when, short, visible } from '../parts/value.js';

const TABS = [['list', 'Branches'], ['differ', 'Compare'], ['merge', 'Merge']];
const PAGE = 200, COUNTED = 50, SINCE_MAX = 100;
const mine = part('branchPage', { tab: 'list', from: '', to: '', op: '', kind: '', type: '', diff: null, error: null, opened: new Set(), of: null, since: new Map() });

export async function open(link) {
  const tab = TABS.some(t => t[0] === link.tab) ? link.tab : 'list';
  const other = state.branches?.find(b => b.name !== 'main')?.name ?? 'main';
  const from = link.from ?? (tab === 'merge' ? (state.branch === 'main' ? other : state.branch) : 'main'), to = link.to ?? (tab === 'merge' ? 'main' : state.branch === 'main' ? other : state.branch);
  change(() => Object.assign(mine, { tab, from, to, op: link.op ?? '', kind: link.kind ?? '', type: link.type ?? '', error: null, opened: new Set() }));
  if (tab === 'list') await countCommits();
  if (tab === 'differ') await compare();
  if (tab === 'merge') await preview(from, to, link.by);
}

const to = over => address({ link: { tab: mine.tab, from: mine.from, to: mine.to, op: mine.op, kind: mine.kind, type: mine.type, by: mergeState.by === 'property' ? null : mergeState.by, ...over } });

/** How many commits each branch has since its fork, as far as they are few. */
async function countCommits() {
  await Promise.all(state.branches.filter(b => b.fork_commit_id).slice(0, COUNTED).map(async b => {
    const name = `${state.graph} ${b.name} ${b.head_commit_id}`;
    if (mine.since.has(name)) return;
    try {
      const { commits } = await api.commits(state.graph, { branch: b.name, limit: SINCE_MAX + 1 }), at = commits.findIndex(c => c.graph_commit_id === b.fork_commit_id);
      change(() => { mine.since.set(name, at < 0 ? `${SINCE_MAX}+` : String(at)); });
    } catch { /* the column stays empty */ }
  }));
}

async function compare(token = null) {
  const of = JSON.stringify([state.graph, mine.from, mine.to, mine.op, mine.kind, mine.type]);
  if (!token) change(() => Object.assign(mine, { of, diff: null }));
  try {
    const page = await api.diff(state.graph, { from: mine.from, to: mine.to, op: mine.op || null, kind: mine.kind || null, type: mine.type || null, limit: PAGE, page_token: token });
    if (mine.of === of) change(() => { mine.diff = token ? { ...page, changes: [...mine.diff.changes, ...page.changes] } : page; });
  } catch (e) { if (mine.of === of) change(() => { mine.error = e; }); }
}

function newBranch() {
  const d = { name: '', from: state.branch };
  ask({
    title: 'New branch', action: 'Create the branch', ready: () => d.name.trim() !== '',
    body: () => html`<label class="field"><span>Name</span><input autocomplete="off" spellcheck="false" .value=${d.name} @input=${e => { d.name = e.target.value; change(); }}></label>
      <label class="field"><span>From <small>a branch, a commit or another ref, such as main~1</small></span><input list="refs" spellcheck="false" .value=${d.from} @input=${e => { d.from = e.target.value; change(); }}></label>`,
    async run() { await api.createBranch(state.graph, { name: d.name.trim(), from: d.from.trim() || 'main' }); return () => { say(`Branch ${d.name} created`); dispatchEvent(new Event('refreshplace')); }; },
  });
}

function remove(branch) {
  ask({
    title: `Delete branch ${branch.name}`, danger: true, type: branch.name, action: `Delete ${branch.name} of ${state.graph}`,
    body: () => html`<p>Its commits stay in the log until cleanup takes them.${branch.protected ? html` <b>The branch is protected.</b>` : nothing}</p>`,
    async run() { await api.deleteBranch(state.graph, branch.name); return () => { if (state.branch === branch.name) go({ branch: 'main', link: {} }); else dispatchEvent(new Event('refreshplace')); }; },
  });
}

function showMoves(branch) {
  const d = { list: null, error: null };
  api.moves(state.graph, branch.name, { limit: 50 }).then(r => change(() => { d.list = r.moves; }), e => change(() => { d.error = e; }));
  ask({
    title: `How ${branch.name} has moved`, wide: true,
    body: () => d.error ? refused(d.error) : !d.list ? waiting('Reading the moves…') : html`<ul class="saved">${d.list.map(m => html`<li><span class="kind">${m.kind.replace('_', ' ')}</span><span class="grow">${m.from_commit_id ? html`<code>${short(m.from_commit_id)}</code> → ` : nothing}<a href=${address({ page: 'commits', link: { commit: m.to_commit_id } })}><code>${short(m.to_commit_id)}</code></a> ${m.message ? visible(m.message.split('\n')[0]) : nothing}</span><span class="muted">${m.actor_id ?? 'anonymous'}, ${when(m.at)}</span></li>`)}</ul>`,
  });
}

function list() {
  const may = action => !past() && (!state.actions || state.actions.has(action)), reason = past() ? 'You are reading the past.' : 'Your credential may not.';
  const at = (b, page) => address({ branch: b.name, snapshot: null, asOf: null, page, link: {} });
  return html`<section class="card"><div class="bar"><h2>Branches</h2><span class="muted">${count(state.branches.length)}</span><span class="grow"></span>
      <button class="primary" ?disabled=${!may('branch_create')} title=${may('branch_create') ? nothing : reason} @click=${newBranch}>New branch…</button></div>
    <div class="scroll" tabindex="0" role="region" aria-label="Branches"><table class="rows"><thead><tr><th scope="col">Name</th><th scope="col">Head</th><th scope="col">From</th><th scope="col" class="r">Commits since</th><th scope="col">Created</th><th scope="col">Actions</th></tr></thead>
    <tbody>${state.branches.toSorted((a, b) => (b.name === 'main') - (a.name === 'main')).map(b => html`<tr><td><a href=${at(b, 'query')}>${b.name}</a>${b.protected ? html` <span class="tag">protected</span>` : nothing}${b.name === state.branch ? html` <span class="tag good-tag">here</span>` : nothing}</td>
      <td><a href=${address({ page: 'commits', link: { commit: b.head_commit_id } })}><code>${short(b.head_commit_id)}</code></a></td>
      <td>${b.parent_branch ? html`${b.parent_branch} at <a href=${address({ page: 'commits', link: { commit: b.fork_commit_id } })}><code>${short(b.fork_commit_id)}</code></a>` : html`<span class="muted">–</span>`}</td>
      <td class="r num">${mine.since.get(`${state.graph} ${b.name} ${b.head_commit_id}`) ?? nothing}</td>
      <td class="muted">${b.created_at ? when(b.created_at) : nothing}${b.created_by ? `, ${b.created_by}` : nothing}</td>
      <td class="actions"><button class="quiet" @click=${() => showMoves(b)}>Moves</button>${b.name === 'main' ? nothing : html`<a class="button quiet" href=${to({ tab: 'differ', from: 'main', to: b.name })}>Compare</a><a class="button quiet" href=${to({ tab: 'merge', from: b.name, to: 'main' })}>Merge…</a><button class="quiet danger-quiet" ?disabled=${!may('branch_delete')} title=${may('branch_delete') ? nothing : reason} @click=${() => remove(b)}>Delete…</button>`}</td></tr>`)}</tbody></table></div></section>`;
}

/** Two fields for states; Enter or a choice goes there. */
function sides(first, second) {
  const field = (name, label) => html`<label class="pick"><span>${label}</span><input list="refs" spellcheck="false" autocomplete="off" aria-label=${label} .value=${mine[name]} @change=${e => { location.hash = to({ [name]: e.target.value.trim(), by: null }); }}></label>`;
  return html`${field('from', first)}${field('to', second)}`;
}

function differ() {
  const d = mine.diff;
  return html`<section class="card"><div class="bar wrap">${sides('From', 'To')}
      <label class="pick"><span>Only</span><select @change=${e => { location.hash = to({ op: e.target.value }); }}>${[['', 'all changes'], ['insert', 'inserted'], ['update', 'updated'], ['delete', 'deleted']].map(([v, t]) => html`<option value=${v} ?selected=${v === mine.op}>${t}</option>`)}</select></label>
      <label class="pick"><span>of</span><select @change=${e => { location.hash = to({ kind: e.target.value, type: null }); }}>${[['', 'nodes and edges'], ['node', 'nodes'], ['edge', 'edges']].map(([v, t]) => html`<option value=${v} ?selected=${v === mine.kind}>${t}</option>`)}</select></label>
      <label class="pick"><span>Type</span><select @change=${e => { location.hash = to({ type: e.target.value }); }}><option value="" ?selected=${!mine.type}>all</option>${[...state.types.values()].filter(t => t.kind !== 'interface' && (!mine.kind || t.kind === mine.kind)).map(t => html`<option value=${t.name} ?selected=${t.name === mine.type}>${t.name}</option>`)}</select></label><span class="grow"></span>
      <a class="button quiet" href=${to({ from: mine.to, to: mine.from })}>Swap</a></div>
    <div class="pad"><p class="muted">How they differ: what has to change in <b>${mine.from}</b> to become <b>${mine.to}</b>. <a href=${to({ tab: 'merge', from: mine.to, to: mine.from })}>Merge</a> shows what one brings to the other.</p>
    ${mine.error ? refused(mine.error, () => { change(() => { mine.error = null; }); compare(); }) : !d ? waiting('Comparing…') : html`${d.schema_change ? html`<h3>Schema</h3>${steps(d.schema_change.steps)}` : nothing}
      ${!d.changes.length && !d.schema_change ? empty('They do not differ.') : byType(d.changes, mine.opened, name => change(() => { mine.opened = new Set([...mine.opened, name]); }))}
      ${d.next_page_token ? html`<button @click=${() => compare(d.next_page_token)}>More than ${count(d.changes.length)} changes: show more</button>` : nothing}`}</div></section>`;
}

/** n and p go to the next and the previous conflict. */
export function key(e) {
  if (mine.tab !== 'merge' || !'np'.includes(e.key)) return;
  const all = [...document.querySelectorAll('.conflict')], at = all.indexOf(document.activeElement?.closest('.conflict'));
  const next = all[e.key === 'n' ? at + 1 : at < 0 ? all.length - 1 : at - 1];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

export function page() {
  if (!state.branches) return waiting('Reading the branches…');
  return html`<div class="stack"><nav class="tabs" aria-label="Views of the branches">${TABS.map(([id, name]) => html`<a class="button" href=${to({ tab: id, from: null, to: null, op: null, kind: null, type: null })} aria-current=${mine.tab === id ? 'true' : nothing}>${name}</a>`)}</nav>
    <datalist id="refs">${state.branches.map(b => html`<option value=${b.name}></option>`)}</datalist>
    ${mine.tab === 'differ' ? differ() : mine.tab === 'merge' ? mergePane(sides('Merge', 'into'), by => { location.hash = to({ by }); }) : list()}</div>`;
}
