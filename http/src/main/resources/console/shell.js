// What is around every page: the top bar with the place and the time, the rail, the dialogs.
import { html, nothing } from 'lit-html';
import { state, change, address, go, past, forbids } from './store.js';
import { PAGES } from './pages.js';
import * as api from './api.js';
import { dialog } from './parts/dialog.js';
import { signInDialog, signOut } from './parts/signin.js';
import { clock, plural, short } from './parts/value.js';

let slide = null;

/** The commit at a place of the timeline, and its index. */
function present() {
  const line = state.timeline ?? [];
  const index = state.snapshot ? line.findIndex(c => c.graph_commit_id === state.snapshot)
    : state.asOf ? line.findLastIndex(c => c.created_at <= state.asOf) : line.length - 1;
  return { line, index };
}

const hasOlder = () => !!state.timeline?.[0]?.parent_commit_id;

/** Reads the commits before those of the timeline; gives their number. */
async function older() {
  if (!hasOlder()) return 0;
  const asked = state.timeline, { commits } = await api.commits(state.graph, { branch: state.branch, limit: 1000, before: asked[0].graph_commit_id });
  if (state.timeline !== asked) return 0;
  change(s => { s.timeline = [...commits.toReversed(), ...asked]; });
  return commits.length;
}

/** Reads at a commit of the timeline; at the last one the head is followed again. */
export async function travel(index) {
  if (index < 0) { const more = await older(); if (more) travel(index + more); return; }
  const { line } = present();
  if (!line[index]) return;
  slide = null;
  go({ snapshot: index === line.length - 1 ? null : line[index].graph_commit_id, asOf: null, link: state.link });
}

/** One commit back or forward. */
export const step = by => travel(present().index + by);

function timeBar() {
  const { line, index } = present();
  if (!line.length) return nothing;
  const at = slide ?? index, here = line[at], moved = past() || slide !== null;
  const move = e => { slide = Number(e.target.value); change(); };
  return html`<div class="time ${moved ? 'past' : ''}">
    <label for="when">${moved ? 'Reading the past' : 'Reading now'}</label>
    <input id="when" type="range" min="0" max=${line.length - 1} .value=${String(Math.max(at, 0))} @input=${move} @change=${e => travel(Number(e.target.value))}
      aria-valuetext=${here ? `commit ${at + 1} of ${line.length}, ${clock(here.created_at)}` : 'a commit of another branch'}>
    <span class="at">${here ? html`${clock(here.created_at)} · ${at + 1} of ${line.length} · <code>${short(here.graph_commit_id)}</code>` : html`commit <code>${short(state.snapshot)}</code> of another branch`}</span>
    ${at === 0 && hasOlder() ? html`<button class="link" @click=${() => step(-1)}>Older</button>` : nothing}
    ${past() ? html`<a class="link" href=${address({ snapshot: null, asOf: null, link: state.link })}>Back to now</a>` : nothing}
  </div>`;
}

function pickers() {
  if (!state.graph || state.page === 'home' || state.page === 'health') return nothing;
  const listed = state.graphs ?? [], known = listed.some(g => g.graph_id === state.graph);
  const graphs = known ? listed : [{ graph_id: state.graph, display_name: state.graph, state: 'served' }, ...listed];
  const branches = (state.branches ?? []).map(b => b.name);
  const names = branches.includes(state.branch) ? branches : [state.branch, ...branches];
  return html`
    <label class="pick"><span>Graph</span><select @change=${e => go({ graph: e.target.value, page: state.page === 'home' ? 'query' : state.page, branch: 'main', snapshot: null, asOf: null })}>${graphs.map(g => html`<option value=${g.graph_id} ?disabled=${g.state !== 'served'} ?selected=${g.graph_id === state.graph}>${g.display_name}${g.state !== 'served' ? ' (quarantined)' : ''}</option>`)}</select></label>
    <label class="pick"><span>Branch</span><select @change=${e => go({ branch: e.target.value, snapshot: null, asOf: null, link: state.link })}>${names.map(b => html`<option value=${b} ?selected=${b === state.branch}>${b}</option>`)}</select></label>
    ${state.placeError?.status === 404 ? nothing : timeBar()}`;
}

function facts() {
  const sum = kind => state.counts.types.filter(t => t.kind === kind).reduce((n, t) => n + t.entity_count, 0);
  return state.graph && state.counts && state.page !== 'home' && state.page !== 'health' ? html`<span class="facts">${plural(sum('node'), 'node')} · ${plural(sum('edge'), 'edge')}</span>` : nothing;
}

export function switchTheme() {
  const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
  localStorage.setItem('theme', root.dataset.theme);
  dispatchEvent(new Event('themechange'));
  change();
}

function whoami() {
  const readOnly = state.actions && !past() && forbids('change');
  return html`${readOnly ? html`<span class="tag warn-tag" title=${readOnly}>read only</span>` : nothing}
    ${state.actor === undefined ? nothing : html`<span class="actor">${state.actor ?? 'anonymous'}</span>`}
    ${api.hasToken() ? html`<button class="quiet" @click=${signOut}>Sign out</button>` : nothing}`;
}

function banner() {
  if (!state.offline) return nothing;
  return html`<div class="banner" role="alert"><b>${state.offline.error.message}</b> <span>Trying again in ${state.offline.seconds} s; nothing is written meanwhile.</span> <button @click=${state.offline.now}>Now</button></div>`;
}

/** While another place is read, what was shown stays. */
const reading = () => state.reading ? html`<div class="reading" role="status"><span class="spin" aria-hidden="true"></span>Reading… <button class="stop" @click=${() => api.stopReading()}>Stop</button></div>` : nothing;

export function shell(content) {
  const to = page => page.id === 'home' ? '#/' : address({ page: page.id, link: page.id === state.page ? state.link : {} });
  const here = PAGES.find(p => p.id === state.page);
  return html`
    <header class="top">
      <a class="brand" href="#/" aria-label="service console, home"><svg viewBox="0 0 32 32" aria-hidden="true"><path d="M9 6v20M9 12c0 7 14 3 14 10"/><circle cx="9" cy="6" r="4"/><circle cx="9" cy="26" r="4"/><circle class="b" cx="23" cy="24" r="4"/></svg><span>service</span></a>
      ${pickers()}
      <span class="grow"></span>
      ${facts()}
      <button class="icon" aria-label="Switch between light and dark" title="Light or dark" @click=${switchTheme}>◐</button>
      <button class="icon" aria-label="Keys" title="Keys (?)" @click=${() => dispatchEvent(new Event('showkeys'))}>?</button>
      ${whoami()}
    </header>
    <nav class="rail" aria-label="Pages">${PAGES.map(p => html`<a href=${to(p)} aria-current=${state.page === p.id ? 'page' : nothing} aria-disabled=${!state.graph && p.graph !== false ? 'true' : nothing}><svg viewBox="0 0 24 24" aria-hidden="true"><path d=${p.icon}/></svg>${p.name}</a>`)}</nav>
    <main id="main" tabindex="-1">
      ${banner()}${reading()}
      <h1 class="sr">${here?.name ?? 'Page'}${state.graph && state.page !== 'home' && state.page !== 'health' ? ` of ${state.graph}` : ''}</h1>
      ${content}
    </main>
    ${dialog()}${signInDialog()}`;
}
