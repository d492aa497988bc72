// Numbers of the server of the last 15 minutes, kept in this page: it reads GET /status every five seconds.
import { html, nothing } from 'lit-html';
import { change, part } from '../store.js';
import * as api from '../api.js';
import { refused, waiting } from '../parts/states.js';
import { line } from '../parts/chart.js';
import { count, plural } from '../parts/value.js';

const EVERY_MILLIS = 5000, KEPT = 180;
const mine = part('health', { readings: [], ready: null, trips: [], error: null, denied: null });
let timer = 0, opened = 0;

export async function open() { clearTimeout(timer); await tick(++opened); }
export function close() { clearTimeout(timer); opened++; }

/** One reading, and the next one as long as the page is the same. */
async function tick(of) {
  const start = performance.now();
  try {
    const ready = await api.ready();
    change(() => { mine.ready = ready; mine.trips = [...mine.trips, performance.now() - start].slice(-KEPT); mine.error = null; });
  } catch (e) { change(() => { mine.error = e; }); }
  if (!mine.denied) {
    try { const reading = await api.status(); change(() => { mine.readings = [...mine.readings, reading].slice(-KEPT); }); }
    catch (e) { change(() => { if (e.status === 403) mine.denied = e; else mine.error = e; }); }
  }
  if (of === opened) timer = setTimeout(() => tick(of), EVERY_MILLIS);
}

const ended = r => r.routes.reduce((n, x) => n + Object.values(x.statuses).reduce((a, b) => a + b, 0), 0);
const refusals = r => r.routes.reduce((n, x) => n + Object.entries(x.statuses).filter(([s]) => s >= 400).reduce((a, [, b]) => a + b, 0), 0);
const writes = r => r.graphs.reduce((n, g) => n + (g.writes ?? 0), 0);
const seconds = (a, b) => Math.max(.001, (Date.parse(b.at) - Date.parse(a.at)) / 1000);
/** The rate of a count between two readings; null after a restart of the server. */
const rate = (of, a, b) => of(b) < of(a) ? null : (of(b) - of(a)) / seconds(a, b);
const series = of => mine.readings.map((r, i) => i ? rate(of, mine.readings[i - 1], r) : null);
const last = values => values.at(-1) ?? null;
const shown = (v, unit = '') => v === null ? '–' : Number.isInteger(v) ? `${count(v)}${unit}` : `${v >= 100 ? count(Math.round(v)) : v >= 10 ? v.toFixed(0) : v.toFixed(1)}${unit}`;
const bytes = n => n === undefined ? '–' : n >= 1 << 30 ? `${(n / (1 << 30)).toFixed(1)} GiB` : n >= 1 << 20 ? `${(n / (1 << 20)).toFixed(0)} MiB` : `${Math.ceil(n / 1024)} KiB`;

/** The time below which a share of the requests of a route were, since the first reading. */
function quantile(times, share, bounds) {
  const all = times.reduce((a, b) => a + b, 0);
  let sum = 0;
  for (let i = 0; i < times.length; i++) { sum += times[i]; if (all && sum >= share * all) return i < bounds.length ? bounds[i] : Infinity; }
  return null;
}
const micros = us => us === null ? '–' : us === Infinity ? '> 1 min' : us >= 1e6 ? `< ${(us / 1e6).toFixed(1)} s` : us >= 1000 ? `< ${(us / 1000).toFixed(us < 10_000 ? 1 : 0)} ms` : `< ${us} µs`;

function tile(name, values, unit) {
  return html`<article class="card pad tile"><h2>${name}</h2><p class="big">${shown(last(values), unit)}</p>${line(values, `${name}, now ${shown(last(values), unit)}`)}</article>`;
}

/** The files of this console come last. */
const own = r => r.route.startsWith('/console/');

function routes(now) {
  const first = mine.readings.length > 1 ? mine.readings[0] : null, before = new Map((first?.routes ?? []).map(r => [r.route, r]));
  const rows = now.routes.map(r => { const b = before.get(r.route), times = r.times.map((n, i) => Math.max(0, n - (b?.times[i] ?? 0))); return { route: r.route, times, all: times.reduce((x, y) => x + y, 0), total: Object.values(r.statuses).reduce((x, y) => x + y, 0), bad: Object.entries(r.statuses).filter(([s]) => s >= 400).reduce((x, [, n]) => x + n, 0) }; }).sort((a, b) => own(a) - own(b) || b.all - a.all || b.total - a.total);
  return html`<section class="card"><div class="bar"><h2>Routes</h2><span class="muted">times of what came while this page is open</span></div><div class="scroll" tabindex="0" role="region" aria-label="Routes"><table class="rows"><thead><tr><th scope="col">Route</th><th scope="col" class="r">Since start</th><th scope="col" class="r">Refused</th><th scope="col" class="r">p50</th><th scope="col" class="r">p99</th></tr></thead>
    <tbody>${rows.slice(0, 40).map(r => html`<tr><td><code>${r.route}</code></td><td class="r">${count(r.total)}</td><td class="r">${count(r.bad)}</td><td class="r">${micros(quantile(r.times, .5, now.time_bounds_micros))}</td><td class="r">${micros(quantile(r.times, .99, now.time_bounds_micros))}</td></tr>`)}</tbody></table></div></section>`;
}

function graphs(now) {
  return html`<section class="card"><div class="bar"><h2>Graphs</h2></div><div class="scroll" tabindex="0" role="region" aria-label="Graphs"><table class="rows"><thead><tr><th scope="col">Graph</th><th scope="col" class="r">Events</th><th scope="col" class="r">Writes</th><th scope="col" class="r">Waiting</th><th scope="col" class="r">Log</th><th scope="col" class="r">Tables</th><th scope="col" class="r">Disk free</th><th scope="col">State</th></tr></thead>
    <tbody>${now.graphs.map(g => html`<tr><td>${g.graph_id}</td><td class="r">${count(g.events ?? 0)}</td><td class="r">${count(g.writes ?? 0)}</td><td class="r">${count(g.writer_queue ?? 0)}</td><td class="r">${bytes(g.log_bytes)}</td><td class="r">${bytes(g.projection_bytes)}</td><td class="r">${bytes(g.disk_free_bytes)}</td><td>${g.failing ? html`<span class="tag bad-tag">writes fail</span>` : html`<span class="tag good-tag">fine</span>`}</td></tr>`)}</tbody></table></div></section>`;
}

export function page() {
  const now = last(mine.readings), r = mine.ready;
  if (mine.error && !r) return refused(mine.error, open);
  if (!r) return waiting('Asking the server…');
  return html`<div class="stack"><div class="headline"><h2>Health</h2><span class="tag good-tag">${r.status}</span><span class="muted">${plural(r.served_graphs, 'graph')} served${r.quarantined_graphs ? `, ${r.quarantined_graphs} quarantined` : ''}${r.damaged_graphs ? `, ${r.damaged_graphs} damaged` : ''}${now ? ` · up ${count(Math.floor(now.uptime_seconds / 60))} min` : ''}</span></div>
    ${mine.error ? refused(mine.error) : nothing}
    ${mine.denied ? html`<p class="muted">The numbers of the server need graph_list: ${mine.denied.message}.</p><div class="cards tiles">${tile('Round trip', mine.trips, ' ms')}</div>` : !now ? waiting('Reading the numbers…') : html`<div class="cards tiles">
      ${tile('Requests a second', series(ended))}${tile('Refusals a second', series(refusals))}${tile('Writes a second', series(writes))}
      ${tile('Round trip', mine.trips, ' ms')}${tile('Heap in use', mine.readings.map(x => x.memory.heap_bytes / (1 << 20)), ' MiB')}${tile('At work', mine.readings.map(x => x.requests.executing))}
      ${tile('Waiting consumers', mine.readings.map(x => x.requests.waiting_consumers))}${tile('Streams', mine.readings.map(x => x.requests.streams))}</div>
    ${graphs(now)}${routes(now)}`}</div>`;
}
