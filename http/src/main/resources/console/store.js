// The whole state of the console, and the only place that holds it. What can be linked is in the address.
const listeners = new Set();
let queued = false;

export const state = {
  graphs: null, graphsRefused: null,           // GET /graphs, or why it was refused
  graph: null, page: 'home', link: {},         // the address: graph, page, and the parameters of the page
  branch: 'main', snapshot: null, asOf: null,  // the place where everything is read
  branches: null, catalog: null, types: new Map(), counts: null,
  timeline: null,                              // first-parent commits of the branch, oldest first
  actor: undefined, actions: null,             // what the caller may do on the branch; null where that is unknown
  refusedActions: new Set(),                   // what the server has refused since
  reading: false, placeError: null,            // whether the place is being read; why it cannot be
  dialog: null, signIn: null, offline: null,
};

/** The state of a page, made by the page: `const mine = part('query', { text: '' })`. */
export function part(name, initial) { return state[name] ??= initial; }

export function subscribe(listener) { listeners.add(listener); }

/** Changes the state; all listeners run once, soon after. */
export function change(mutate = () => {}) {
  mutate(state);
  if (!queued) { queued = true; queueMicrotask(() => { queued = false; for (const l of listeners) l(state); }); }
}

/** The place as the API names it. */
export function target() {
  if (state.snapshot) return { snapshot: state.snapshot };
  return state.asOf ? { branch: state.branch, as_of: state.asOf } : { branch: state.branch };
}

export const past = () => !!(state.snapshot || state.asOf);

/** Why a control that needs the action is disabled; null when it is not. */
export function forbids(action) {
  if (past()) return 'You are reading the past. Go back to now to change anything.';
  const denied = state.actions ? !state.actions.has(action) : false;
  if (denied || state.refusedActions.has(`${action} ${state.branch}`)) return `Your credential may not ${action} branch ${state.branch}.`;
  return null;
}

const LINK_MAX = 6000;
const PLACE = ['branch', 'snapshot', 'as_of'];

/** #/graph/page?branch=…: nothing of it is ever sent to a server. */
export function readAddress(hash = location.hash) {
  const [path, search = ''] = hash.replace(/^#\/?/, '').split('?');
  const [graph, page] = path.split('/').map(part => { try { return decodeURIComponent(part); } catch { return part; } });
  const link = Object.fromEntries(new URLSearchParams(search));
  const at = { graph: graph && graph !== '-' ? graph : null, page: page || (graph ? 'query' : 'home'), branch: link.branch || 'main', snapshot: link.snapshot || null, asOf: link.as_of || null };
  for (const name of PLACE) delete link[name];
  return { ...at, link };
}

/** An address: the present one, with other parts. `link` replaces the parameters of the page. */
export function address(over = {}) {
  const at = { graph: state.graph, page: state.page, branch: state.branch, snapshot: state.snapshot, asOf: state.asOf, link: {}, ...over };
  if (at.page === 'health') return '#/-/health';
  if (!at.graph || at.page === 'home') return '#/';
  const search = new URLSearchParams();
  if (at.branch && at.branch !== 'main') search.set('branch', at.branch);
  if (at.snapshot) search.set('snapshot', at.snapshot);
  else if (at.asOf) search.set('as_of', at.asOf);
  for (const [name, value] of Object.entries(at.link)) if (value) search.set(name, value);
  // A query and its parameters go together.
  if (search.toString().length > LINK_MAX) { search.delete('q'); search.delete('p'); }
  const tail = search.toString();
  return `#/${encodeURIComponent(at.graph)}/${at.page}${tail ? '?' + tail : ''}`;
}

/** Goes to an address, as a link does. */
export function go(over) { location.hash = address(over); }

/** Keeps the parameters of the page in the address without a step of Back. */
export function note(link) {
  state.link = link;
  history.replaceState(history.state, '', address({ link }));
}

/** Says a text to those who cannot see the page. */
export function say(text) { document.getElementById('say').textContent = text; }
