// How values look. Text only: lit-html escapes whatever it is given, so that data can never become markup.
import { html, nothing } from 'lit-html';
import { toJson } from '../api.js';

export const isNode = v => v !== null && typeof v === 'object' && '@type' in v && !('@src' in v);
export const isEdge = v => v !== null && typeof v === 'object' && '@src' in v;
export const isPath = v => v !== null && typeof v === 'object' && 'length' in v && !Array.isArray(v) && Array.isArray(v.nodes) && Array.isArray(v.edges);
const LABELS = ['name', 'title', 'label', 'key'];

export function labelOf(entity) {
  for (const k of LABELS) if (typeof entity[k] === 'string' && entity[k]) return entity[k];
  return entity['@id'];
}

const colours = new Map();
/** A type keeps its colour: the place of its name among all types of the schema. */
export function assignColours(types) { colours.clear(); [...types.keys()].filter(t => types.get(t).kind === 'node').sort().forEach((t, i) => colours.set(t, i % 8)); }
export const colourOf = type => colours.get(type) ?? 0;

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
/** A text in which characters that cannot be seen, or that turn the direction of others, are written out. */
export const visible = text => text.replace(HIDDEN, c => `⟨U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);

/** In place of a selection: nothing is cut short. */
const WHOLE = () => {};
const SHOWN = 300, WHOLE_MAX = 100_000, ITEMS = 8, ITEMS_MAX = 1000;
/** A value with all that it has, for panels. */
export const whole = v => value(v, WHOLE);

/** A long text: its beginning, or all of it where there is room. */
function long(v, text, select) {
  if (select === WHOLE) return html`<div class="long" tabindex="0" role="region" aria-label="A long text">${text.slice(0, WHOLE_MAX)}</div>${text.length > WHOLE_MAX ? html`<p class="muted">The first ${count(WHOLE_MAX)} of ${count(v.length)} characters.</p>` : nothing}`;
  const title = `${count(v.length)} characters`;
  return select ? html`<button class="text" title=${title} @click=${() => select(v)}>${text.slice(0, SHOWN)}…</button>` : html`<span title=${title}>${text.slice(0, SHOWN)}…</span>`;
}

/** An edge between two nodes of a path, in the direction of the edge. */
function step(edge, from, select) {
  const along = edge['@src'] === from['@id'] && (edge['@src_type'] ?? from['@type']) === from['@type'];
  return html`<span class="step">${along ? '' : '←'}${value(edge, select)}${along ? '→' : ''}</span>`;
}

/** The fields of a record: each as it looks by itself. */
function record(v, select) {
  const fields = Object.entries(v), most = select === WHOLE ? ITEMS_MAX : ITEMS;
  return html`<span class="list">{ ${fields.slice(0, most).map(([name, x], i) => html`${i ? ', ' : nothing}<span class="muted">${visible(name)}:</span> ${value(x, select)}`)}${fields.length > most ? `, … ${count(fields.length)}` : nothing} }</span>`;
}

/** @param select is told of a value that was chosen, to show it whole */
export function value(v, select) {
  if (v === null || v === undefined) return html`<span class="null">null</span>`;
  if (isEdge(v)) return html`<button class="chip edge" @click=${() => select?.(v)} title=${visible(`${v['@src']} → ${v['@dst']}`)}>${v['@type']}</button>`;
  if (isNode(v)) return html`<button class="chip c${colourOf(v['@type'])}" @click=${() => select?.(v)}><i></i>${visible(String(labelOf(v)))}</button>`;
  if (Array.isArray(v)) {
    const most = select === WHOLE ? ITEMS_MAX : ITEMS, rest = `, … ${count(v.length)}`;
    return html`<span class="list">[${v.slice(0, most).map((x, i) => html`${i ? ', ' : nothing}${value(x, select)}`)}${v.length <= most ? nothing : select && select !== WHOLE ? html`<button class="text" @click=${() => select(v)}>${rest}</button>` : rest}]</span>`;
  }
  if (isPath(v)) return html`<span class="path">${v.nodes.map((n, i) => html`${i ? html` ${step(v.edges[i - 1], v.nodes[i - 1], select)} ` : nothing}${value(n, select)}`)}</span>`;
  if (typeof v === 'object') return record(v, select);
  if (typeof v === 'boolean') return html`<span class="bool">${String(v)}</span>`;
  if (typeof v === 'number' || typeof v === 'bigint') return html`<span class="num">${String(v)}</span>`;
  const text = visible(v);
  return text.length > SHOWN ? long(v, text, select) : text;
}

/** A stored value as the text of a field; null is the empty text. */
export const valueText = v => v === null || v === undefined ? '' : typeof v === 'object' ? toJson(v) : String(v);

export const count = n => n.toLocaleString('en-US');
/** A number of things: `1 branch`, `1,204 commits`, `200+ commits`. */
export const plural = (n, one, many = `${one}s`, more = '') => `${count(n)}${more} ${n === 1 && !more ? one : many}`;

export function when(time) {
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
  return new Date(time).toISOString().slice(0, 10);
}
export const clock = time => time.slice(0, 19).replace('T', ' ');
export const short = id => id ? id.slice(0, 4) + '…' + id.slice(-5) : '';
