// The only file that talks to the server. Every answer is JSON; every refusal becomes a Refusal.
const ROOT = new URL('../', new URL('.', document.baseURI));
let token = sessionStorage.getItem('token');
let signIn = null;                 // asks for a token: resolves when there is another one than the refused one
let watch = () => {};              // told of every refusal

export function configure(hooks) { signIn = hooks.signIn; watch = hooks.refused; }
export const hasToken = () => !!token;
export const currentToken = () => token;

/** The token for all requests from now on; null for none. */
export function setToken(value, keep) {
  token = value;
  if (value && keep) sessionStorage.setItem('token', value); else sessionStorage.removeItem('token');
}

/** When the token ends, in milliseconds since 1970; null where it does not say so. */
export function tokenEnds() {
  try {
    const claims = JSON.parse(atob(token.split('.')[1].replace(/-/g, '+').replace(/_/g, '/')));
    return typeof claims.exp === 'number' ? claims.exp * 1000 : null;
  } catch { return null; }
}

const PASSING = new Set(['overloaded', 'contended', 'not_yet_here', 'embedding_unavailable']);
export class Refusal extends Error {
  constructor(status, body, headers) {
    super(body?.error ?? `the server answered ${status}`);
    Object.assign(this, { status, code: body?.code ?? 'unknown', body, requestId: headers?.get('X-Request-Id'), retryAfter: Number(headers?.get('Retry-After')) || 0 });
  }
  get unreachable() { return this.status === 0 || this.code === 'shutting_down'; }
  /** Whether the server asks to come again soon: too many requests, or something that passes. */
  get passing() { return this.status === 429 || PASSING.has(this.code); }
  /** Whether the answer has not come: the write may have been made. A proxy says 502 or 504 for a server that has gone. */
  get lost() { return this.status === 0 || this.status === 502 || this.status === 504; }
}

/** Integers beyond 2^53 stay exact: as BigInt. */
export function parseJson(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, value, context) =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context.source) : value);
}
export const plain = (_, v) => typeof v === 'bigint' ? v.toString() : v;
/** JSON text with integers of every size as digits. */
export const toJson = (value, indent) => JSON.stringify(value, (_, v) => typeof v === 'bigint' ? `\u0001${v}\u0001` : v, indent)?.replace(/"\\u0001(-?\d+)\\u0001"/g, '$1');

/** A pause, which ends with an error when the signal aborts. */
const wait = (millis, signal) => new Promise((done, failed) => {
  const timer = setTimeout(done, millis);
  signal?.addEventListener('abort', () => { clearTimeout(timer); failed(signal.reason); }, { once: true });
});

/** Ends what a page reads, apart from requests with a signal of their own. They fail with {@link Stopped}. */
let reading = new AbortController();
export class Stopped extends Error { name = 'Stopped'; message = 'Stopped before the server had answered.'; }
export function stopReading() { const was = reading; reading = new AbortController(); was.abort(new Stopped()); }

/** Sends one request. `path` is relative to the API, such as `graphs/g/query`. */
export async function send(method, path, { body, raw, type = 'application/json', signal, headers = {}, accept = 'application/json', redirect = 'error' } = {}) {
  const request = { method, signal, headers: { Accept: accept, ...headers }, credentials: 'omit', redirect, mode: 'same-origin', referrerPolicy: 'no-referrer', cache: 'no-store' };
  if (token) request.headers.Authorization = `Bearer ${token}`;
  if (body !== undefined || raw !== undefined) { request.headers['Content-Type'] = type; request.body = raw ?? JSON.stringify(body, plain); }
  try { return await fetch(new URL(path, ROOT), request); }
  catch (e) { throw cut(e); }
}

/** What a failed request is thrown as: the end of its signal, else a server that cannot be reached. */
const cut = e => e.name === 'AbortError' || e instanceof Stopped ? e : new Refusal(0, { error: 'the server cannot be reached', code: 'unreachable' });

async function answer(response) {
  const text = await response.text().catch(e => { throw cut(e); });
  let parsed = null;
  try { parsed = text ? parseJson(text) : null; } catch { /* not JSON: the status says enough */ }
  if (!response.ok) throw new Refusal(response.status, parsed, response.headers);
  return parsed;
}

async function attempt(method, path, options) {
  try { return await answer(await send(method, path, options)); }
  catch (e) { if (e instanceof Refusal) watch(e); throw e; }
}

/** A request that changes nothing: after a sign-in, and once after what passes, such as 429, it is sent again. */
export async function read(method, path, options = {}) {
  options.signal ??= reading.signal;
  for (let waited = false; ;) {
    try { return await attempt(method, path, options); }
    catch (e) {
      if (e.status === 401 && signIn) await signIn(token);
      else if (e.passing && !waited) { waited = true; await wait(1000 * Math.max(1, e.retryAfter), options.signal); }
      else throw e;
    }
  }
}

/** A write: under a fresh key, and again under the same one when its answer was lost, so that it is made once. */
export async function write(method, path, { keyed = true, ...options }) {
  const headers = { ...options.headers, ...(keyed ? { 'Idempotency-Key': crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}` } : {}) };
  for (let tries = 1; ; tries++) {
    try { return await attempt(method, path, { ...options, headers }); }
    catch (e) {
      if (e.status === 401 && signIn) await signIn(token);
      else if (keyed && e.lost && tries < 6) await wait(125 * 2 ** tries);
      else throw e;
    }
  }
}

/** Asks the identity provider, the one other origin that the content policy may allow: a GET, or a POST of a form. */
export async function provider(address, form) {
  let response;
  try { response = await fetch(address, { method: form ? 'POST' : 'GET', body: form && new URLSearchParams(form), mode: 'cors', credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer', cache: 'no-store' }); }
  catch { throw new Error(`the identity provider does not answer this page at ${address}: it must allow the origin ${location.origin}`); }
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(`the identity provider answered ${response.status}: ${body.error_description ?? body.error ?? 'no reason'}`);
  return body;
}

const of = graph => `graphs/${encodeURIComponent(graph)}`;
const search = values => { const s = new URLSearchParams(); for (const [k, v] of Object.entries(values)) for (const one of [v].flat()) if (one !== undefined && one !== null && one !== '') s.append(k, one); return s.size ? `?${s}` : ''; };
const get = path => (graph, values = {}, signal) => read('GET', `${of(graph)}/${path}${search(values)}`, { signal });

export const graphs = () => read('GET', 'graphs');
export const ready = signal => read('GET', 'readyz', { signal });
export const status = () => read('GET', 'status');
export const branches = get('branches');
export const catalog = get('catalog');
export const schema = get('schema');
export const snapshot = get('snapshot');
export const commits = get('commits');
export const permissions = get('permissions');
export const storedQueries = get('queries');
export const tags = get('tags');
export const diff = get('diff');
export const history = get('history');
export const commit = (graph, id) => read('GET', `${of(graph)}/commits/${encodeURIComponent(id)}`);
export const changes = (graph, id, values) => read('GET', `${of(graph)}/commits/${encodeURIComponent(id)}/changes${search(values)}`);
export const moves = (graph, branch, values = {}) => read('GET', `${of(graph)}/branches/${encodeURIComponent(branch)}/moves${search(values)}`);

/** A read in GQ at a place; `more` has `params`, `settings`, `max_rows`. */
export const query = (graph, place, text, more = {}, signal) => read('POST', `${of(graph)}/query`, { signal, body: { query: text, ...place, ...more } });
export const lint = (graph, place, text, signal) => read('POST', `${of(graph)}/lint`, { signal, body: { query: text, ...place } });
export const stored = (graph, name, body, signal) => read('POST', `${of(graph)}/queries/${encodeURIComponent(name)}`, { signal, body });

/** A mutation; with `head` only while the branch is still there. */
export const mutate = (graph, body, head) => write('POST', `${of(graph)}/mutate${head ? '/if-graph-commit' : ''}`, { body, headers: head ? { 'Service-If-Graph-Commit': head } : {} });
export const mutateStored = (graph, name, body, head) => write('POST', `${of(graph)}/queries/${encodeURIComponent(name)}${head ? '/if-graph-commit' : ''}`, { body, headers: head ? { 'Service-If-Graph-Commit': head } : {} });
export const createBranch = (graph, body) => write('POST', `${of(graph)}/branches`, { body, keyed: false });
export const deleteBranch = (graph, name) => write('DELETE', `${of(graph)}/branches/${encodeURIComponent(name)}`, { keyed: false });
export const merge = (graph, body) => write('POST', `${of(graph)}/branches/merge`, { body });
export const previewMerge = (graph, body) => read('POST', `${of(graph)}/branches/merge`, { body: { ...body, dry_run: true } });
/** Reverts or picks a commit; a dry run writes nothing. */
export const undo = (graph, ref, how, body) => (body.dry_run ? read : write)('POST', `${of(graph)}/commits/${encodeURIComponent(ref)}/${how}`, { body });
export const restore = (graph, branch, body) => (body.dry_run ? read : write)('POST', `${of(graph)}/branches/${encodeURIComponent(branch)}/restore`, { body });
export const load = (graph, values, lines) => write('POST', `${of(graph)}/load/ndjson${search(values)}`, { raw: lines, type: 'application/x-ndjson' });
export const blob = (graph, method, values, signal) => send(method, `${of(graph)}/blob${search(values)}`, { signal, accept: '*/*', redirect: 'manual' });
