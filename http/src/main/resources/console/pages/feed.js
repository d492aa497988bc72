// The live tail of a branch. A hidden page closes its stream after five minutes: a server holds few.
import { html, nothing } from 'lit-html';
import { state, change, part, address, say } from '../store.js';
import { events } from '../sse.js';
import { refused, waiting, empty } from '../parts/states.js';
import { byType, steps } from '../parts/diff.js';
import { count, plural, clock, short, when } from '../parts/value.js';

const KEPT = 500, HIDDEN_MILLIS = 300_000, RETRY_MILLIS = [1000, 2000, 4000, 8000, 16000, 30000];
const mine = part('feed', { blocks: [], held: [], paused: false, live: 'closed', error: null, cursor: null, start: 'now', opened: new Set(), of: null });
let stream = null, retries = 0, timer = 0, hidden = 0;

export async function open(link, { moved }) {
  const of = JSON.stringify([state.graph, state.branch, link.start, link.kind, link.type, link.op]);
  if (moved || mine.of !== of || !stream) {
    change(() => Object.assign(mine, { of, blocks: [], held: [], cursor: null, error: null, start: link.start ?? 'now' }));
    connect();
  }
}

export function close() {
  clearTimeout(timer);
  clearTimeout(hidden);
  stream?.abort();
  stream = null;
}

const stop = () => { close(); change(() => { mine.live = 'closed'; }); };

async function connect() {
  close();
  const own = stream = new AbortController(), { kind, type, op } = state.link;
  const search = new URLSearchParams({ branch: state.branch });
  if (!mine.cursor && mine.start !== 'now') search.set('start', mine.start);
  for (const [name, value] of Object.entries({ kind, type, op })) if (value) search.set(name, value);
  change(() => { mine.live = 'connecting'; });
  try {
    await events(`graphs/${encodeURIComponent(state.graph)}/changes?${search}`, { signal: own.signal, lastId: mine.cursor, event: e => own === stream && take(e) });
    if (own === stream) again();
  } catch (e) {
    if (own !== stream || e.name === 'AbortError') return;
    if (e.unreachable || e instanceof TypeError || (e.status === 503 && e.passing)) again();
    else change(() => Object.assign(mine, { live: 'closed', error: e }));
  }
}

/** The stream has ended: the next one starts after the last event. */
function again() {
  change(() => { mine.live = 'reconnecting'; });
  timer = setTimeout(connect, RETRY_MILLIS[Math.min(retries++, RETRY_MILLIS.length - 1)]);
}

function take({ name, id, data }) {
  retries = 0;
  change(() => {
    mine.live = 'live';
    if (id) mine.cursor = id;
    if (name !== 'block') return;
    const into = mine.paused ? 'held' : 'blocks';
    mine[into] = [data, ...mine[into]].slice(0, KEPT);
  });
  if (name === 'block' && !mine.paused) say(`${data.cause.kind} by ${data.cause.actor_id ?? 'anonymous'}, ${plural(data.changes.length, 'change')}`);
}

document.addEventListener('visibilitychange', () => {
  clearTimeout(hidden);
  if (document.hidden && stream) hidden = setTimeout(() => { close(); change(() => { mine.live = 'closed'; }); }, HIDDEN_MILLIS);
  else if (!document.hidden && !stream && state.page === 'feed') connect();
});

function pause() { change(() => { mine.paused = !mine.paused; if (!mine.paused) { mine.blocks = [...mine.held, ...mine.blocks].slice(0, KEPT); mine.held = []; } }); }
export function key(e) { if (e.key === ' ') { e.preventDefault(); pause(); } }

const filter = over => { location.hash = address({ link: { start: state.link.start, kind: state.link.kind, type: state.link.type, op: state.link.op, ...over } }); };
const choice = (name, label, values) => html`<label class="pick"><span>${label}</span><select @change=${e => filter({ [name]: e.target.value })}><option value="" ?selected=${!state.link[name]}>all</option>${values.map(v => html`<option value=${v} ?selected=${v === state.link[name]}>${v}</option>`)}</select></label>`;

function block(b) {
  const c = b.cause;
  return html`<article class="card pad block"><header><span class="kind">${c.kind}</span><b>${c.actor_id ?? 'anonymous'}</b><time datetime=${c.authored_at} title=${clock(c.authored_at)}>${when(c.authored_at)}</time><a href=${address({ page: 'commits', link: { commit: c.graph_commit_id } })}><code>${short(c.graph_commit_id)}</code></a><span class="message">${c.message ?? nothing}</span></header>
    ${b.schema_change ? steps(b.schema_change.steps) : nothing}${byType(b.changes, mine.opened, name => change(() => { mine.opened = new Set([...mine.opened, name]); }))}</article>`;
}

export function page() {
  const e = mine.error;
  return html`<div class="stack"><section class="card"><div class="bar wrap"><h2>Feed of ${state.branch}</h2><span class="tag ${mine.live === 'live' ? 'good-tag' : 'warn-tag'}" role="status">${mine.live}</span>
      <button aria-pressed=${mine.paused} @click=${pause}>${mine.paused ? `Go on${mine.held.length ? `: ${count(mine.held.length)} new` : ''}` : 'Pause'}</button><span class="grow"></span>
      <label class="pick"><span>Start</span><select @change=${x => filter({ start: x.target.value })}>${[['', 'now'], ['beginning', 'the beginning']].map(([v, t]) => html`<option value=${v} ?selected=${v === (state.link.start ?? '')}>${t}</option>`)}${state.link.start?.startsWith('after:') ? html`<option selected value=${state.link.start}>after ${short(state.link.start.slice(6))}</option>` : nothing}</select></label>
      ${choice('kind', 'Kind', ['node', 'edge'])}${choice('type', 'Type', [...state.types.values()].filter(t => t.kind !== 'interface').map(t => t.name))}${choice('op', 'Op', ['insert', 'update', 'delete'])}</div></section>
    ${e ? html`${refused(e, () => { change(() => { mine.error = null; }); connect(); })}${e.status === 410 ? html`<p><button @click=${() => filter({ start: '' })}>Start now</button></p>` : nothing}` : nothing}
    ${mine.blocks.length ? mine.blocks.map(block) : e ? nothing : mine.live === 'live' ? empty('Nothing has changed since.', `Each commit of ${state.branch} appears here at once, the newest first.`)
      : mine.live === 'closed' ? empty('The stream is closed.', html`<button @click=${connect}>Connect</button>`) : waiting('Connecting…', stop)}</div>`;
}
