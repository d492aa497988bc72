// The router: reads the address, loads what the place needs, opens the page, renders. Each page has its own error boundary.
import { html, render, nothing } from 'lit-html';
import { state, change, subscribe, readAddress, address, target, past, go, say } from './store.js';
import * as api from './api.js';
import { PAGES } from './pages.js';
import { readCatalog } from './types.js';
import { shell, step } from './shell.js';
import { listen } from './keys.js';
import { signIn } from './parts/signin.js';
import { isReturn } from './parts/oidc.js';
import { close } from './parts/dialog.js';
import { assignColours } from './parts/value.js';
import { refused, waiting, empty } from './parts/states.js';

const RETRY_SECONDS = [1, 2, 4, 8, 16, 30];
let page = null, shown = null, running = 0, retries = 0, retryTimer = 0, unreachable = null;
/** What scrolls, and how far by address, for Back and Forward. */
const SCROLLERS = ['#main', '.dag', '.detail', '.listing .scroll', '.record', '.result .scroll'], SCROLLS_MAX = 100;
const scrolls = new Map();

function leave(hash) {
  scrolls.delete(hash);
  scrolls.set(hash, SCROLLERS.map(name => document.querySelector(name)?.scrollTop ?? 0));
  if (scrolls.size > SCROLLS_MAX) scrolls.delete(scrolls.keys().next().value);
}
const comeBack = hash => requestAnimationFrame(() => scrolls.get(hash)?.forEach((top, i) => { if (top) document.querySelector(SCROLLERS[i])?.scrollTo(0, top); }));

const placeOf = at => `${at.graph} ${at.branch} ${at.snapshot} ${at.asOf}`;
let place = null, last = null;

/** The module of a page has not come: the server is away, which its own answer shows, or has another version now. */
async function unloaded(e) {
  await api.ready();
  throw Object.assign(new Error(`The files of the console have changed, or could not be loaded: ${e.message}`), { reload: true });
}

/** Follows the address. A newer call makes an older one end without effect. */
async function follow() {
  const at = readAddress(), mine = ++running, known = PAGES.find(p => p.id === at.page);
  if (state.dialog && last !== location.hash) close();
  last = location.hash;
  unreachable = null;
  change(s => { Object.assign(s, { reading: true, graph: at.graph ?? s.graph, page: at.page, branch: at.branch, snapshot: at.snapshot, asOf: at.asOf, link: at.link }); });
  try {
    const module = known ? known.load().catch(unloaded) : null;
    module?.catch(() => {});
    if (!state.graphs && !state.graphsRefused) await graphs();
    const moved = known?.graph !== false && state.graph && placeOf(state) !== place;
    if (moved) await readPlace();
    if (mine !== running) return;
    if (page !== await module) page?.close?.();
    page = await module;
    shown = at.page;
    change(s => { s.reading = false; });
    await page?.open?.(state.link, { moved });
    if (!unreachable) reached();
  } catch (e) {
    if (mine !== running) return;
    place = null;
    change(s => { s.placeError = e; s.reading = false; });
  }
  document.title = [known?.name, state.graph && at.page !== 'home' ? state.graph : null, 'service console'].filter(Boolean).join(' · ');
  comeBack(location.hash);
}

async function graphs() {
  try { const { graphs } = await api.graphs(); change(s => { s.graphs = graphs; s.graph ??= graphs.find(g => g.state === 'served')?.graph_id ?? null; }); }
  catch (e) { if (e.status !== 403) throw e; change(s => { s.graphsRefused = e; }); }
}

/** Everything that all pages of a place show: types, counts, branches, the timeline, and what the caller may do there. */
export async function readPlace() {
  const graph = state.graph, at = target(), asked = placeOf(state);
  change(s => { s.placeError = null; });
  const may = api.permissions(graph, { branch: state.branch }).catch(e => { if (e.status === 403 || e.status === 404) return null; throw e; });
  const [catalog, counts, branches, timeline, rights] = await Promise.all([api.catalog(graph, at), api.snapshot(graph, at), api.branches(graph), api.commits(graph, { branch: state.branch, limit: 1000 }), may]);
  if (asked !== placeOf(state)) return;
  place = asked;
  const types = readCatalog(catalog);
  assignColours(types);
  change(s => Object.assign(s, { catalog, types, counts, branches: branches.branches, timeline: timeline.commits.toReversed(), actor: rights?.actor_id, actions: rights && new Set(rights.actions) }));
  remember(graph);
}

/** After a write: the place is read again, then the page. */
export async function refresh() { place = null; await follow(); }

/** The ids used before, for those who may not list the graphs. */
function remember(graph) {
  const before = JSON.parse(localStorage.getItem('graphs') ?? '[]');
  localStorage.setItem('graphs', JSON.stringify([graph, ...before.filter(g => g !== graph)].slice(0, 20)));
}

function reached() {
  clearTimeout(retryTimer);
  retries = retryTimer = 0;
  if (state.offline) change(s => { s.offline = null; });
}

/** Tries again while the server cannot be reached, whatever has met that: reads only. */
function later(error) {
  unreachable = error;
  // The requests of one page fail together and count as one try.
  if (retryTimer) return;
  const seconds = RETRY_SECONDS[Math.min(retries++, RETRY_SECONDS.length - 1)];
  const now = () => { clearTimeout(retryTimer); retryTimer = 0; refresh(); };
  change(s => { s.offline = { error, seconds, now }; });
  retryTimer = setTimeout(now, seconds * 1000);
}

function content() {
  const known = PAGES.find(p => p.id === state.page);
  if (!known) return empty('There is no such page.', html`<a href="#/">Go to the graphs</a>`);
  if (known.graph !== false && !state.graph) return empty('No graph is chosen.', html`<a href="#/">Choose one</a>`);
  if (state.placeError && (known.graph !== false || shown !== known.id)) return html`${refused(state.placeError, () => { if (state.placeError.reload) location.reload(); place = null; follow(); })}${past() ? html`<p class="pad"><a href=${address({ snapshot: null, asOf: null, link: state.link })}>Back to now</a></p>` : nothing}`;
  if (!page) return waiting('Loading the page…');
  try { return page.page(); }
  catch (e) { console.error(e); return refused(e, () => location.reload()); }
}

function draw() {
  try { render(shell(content()), document.getElementById('app')); }
  catch (e) { console.error(e); render(refused(e, () => location.reload()), document.getElementById('app')); }
}

api.configure({
  signIn,
  refused(e) {
    const denied = e.body?.forbidden;
    if (denied?.action && denied.branch) change(s => { s.refusedActions.add(`${denied.action} ${denied.branch}`); });
    if (e.unreachable) later(e);
    else if (e.status !== 400) say(e.message);
  },
});
const kept = localStorage.getItem('theme');
if (kept) document.documentElement.dataset.theme = kept;
document.getElementById('app').textContent = '';
subscribe(draw);
listen({ page: () => page, go, step });
// Notes of a page may have changed the address that is left.
addEventListener('hashchange', e => { leave(new URL(e.oldURL).hash); follow(); });
addEventListener('signedin', () => { change(s => { s.refusedActions = new Set(); s.graphsRefused = null; }); place = null; });
addEventListener('refreshplace', refresh);
const violations = [];
addEventListener('securitypolicyviolation', e => violations.push(`${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`));
/** For tests. */
window.console_ = { violations, state };
if (!isReturn()) follow();
