// Types with counts, their records, and one record with its edges, its history and its picture.
import { html, nothing } from 'lit-html';
import { state, change, part, address, note, target, forbids } from '../store.js';
import * as api from '../api.js';
import { nodesOf, edgesOf, inPattern } from '../types.js';
import { refused, waiting, empty } from '../parts/states.js';
import { record, openRecord, recordState } from '../parts/record.js';
import { importLines } from '../parts/records-write.js';
import { filterBar, filterText, likeFilters, readFilter } from '../parts/filter.js';
import { value, count, colourOf, labelOf, visible } from '../parts/value.js';

const PAGE = 50;
const mine = part('data', { type: null, filter: null, after: null, befores: [], rows: null, fits: null, past: 0, more: false, error: null, of: null, stop: null });

export async function open(link, { moved }) {
  const types = [...nodesOf(state.types), ...edgesOf(state.types)];
  const type = types.some(t => t.name === link.type) ? link.type : null;
  const filter = readFilter(link.filter), of = JSON.stringify([state.graph, target(), type, link.filter, link.after]);
  const fresh = moved || mine.of !== of;
  change(() => { Object.assign(mine, { type, filter, after: link.after ?? null, of }); if (!link.after) mine.befores = []; if (fresh) Object.assign(mine, { rows: null, error: null }); });
  const other = link.id && link.id !== recordState.id;
  await Promise.all([type && fresh ? list() : null, openRecord(type, link.id ?? null, moved)]);
  // Where there is room for one column, the record is below the list.
  if (other && matchMedia('(max-width: 1100px)').matches) document.querySelector('.record')?.scrollIntoView({ block: 'start' });
}

export function close() { mine.stop?.abort(); }

/** One page of records in the order of their ids, or the best first where the filter ranks: then `after` is a number of rows. */
async function list() {
  mine.stop?.abort();
  const stop = mine.stop = new AbortController(), type = state.types.get(mine.type), params = { most: PAGE + 1 };
  const conditions = [], declared = ['$most: I32'];
  const bound = type.kind === 'node' ? `$r: ${type.name}` : `$a $r:${inPattern(type.name)} $b`;
  try {
    const f = mine.filter ? filterText(mine.filter, type) : null;
    if (f) { conditions.push(f.condition); declared.push(`$v: ${f.type}`); params.v = f.value; }
    if (f?.rank) { declared.push('$past: I64'); params.past = Number(mine.after) || 0; }
    else if (mine.after !== null) { conditions.push('$r.@id > $after'); declared.push('$after: String'); params.after = mine.after; }
    const tail = f?.rank ? `return { $r, ${f.rank} as fits } order { fits } skip $past limit $most` : `return { $r } order { $r.@id } limit $most`;
    const { rows } = await api.query(state.graph, target(), `query page(${declared.join(', ')}) { match { ${bound}  ${conditions.join('  ')} } ${tail} }`, { params }, stop.signal);
    change(() => { Object.assign(mine, { rows: rows.slice(0, PAGE).map(r => r.r), fits: f?.rank ? rows.map(r => r.fits) : null, past: params.past ?? 0, more: rows.length > PAGE, error: null }); });
  } catch (e) { if (e.name !== 'AbortError') change(() => { mine.error = e; }); }
}

const linkOf = over => ({ type: mine.type, filter: mine.filter ? JSON.stringify(mine.filter) : null, after: mine.after, id: recordState.id, view: state.link.view, ...over });
const to = over => address({ link: linkOf(over) });

function chooser() {
  const counted = new Map((state.counts?.types ?? []).map(t => [t.type_name, t.entity_count]));
  const item = t => html`<li><a href=${address({ link: { type: t.name } })} aria-current=${t.name === mine.type ? 'true' : nothing}><span class="badge ${t.kind === 'node' ? 'c' + colourOf(t.name) : ''}"><i></i>${t.name}</span><b>${count(counted.get(t.name) ?? 0)}</b></a></li>`;
  return html`<nav class="card chooser" aria-label="Types"><h2>Nodes</h2><ul>${nodesOf(state.types).map(item)}</ul><h2>Edges</h2><ul>${edgesOf(state.types).map(item)}</ul></nav>`;
}

/** The columns: the ends of an edge, the key, and as many properties as are readable at once. */
function columns(type) {
  // The id is that of a key of one text already.
  const plain = type.properties.filter(p => !['blob', 'vector'].includes(p.kind) && !(p.key && type.key.length === 1 && p.kind === 'string'));
  return [...plain.filter(p => p.key), ...plain.filter(p => !p.key)].slice(0, 8);
}

function choose(e, entity) {
  if (e.type === 'keydown' && e.key !== 'Enter') return;
  location.hash = to({ id: String(entity['@id']) });
}

function rows(type) {
  const shown = columns(type), ends = type.kind === 'edge';
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Records"><table class="rows records">
    <thead><tr>${mine.fits ? html`<th scope="col" class="r">fits</th>` : nothing}<th scope="col">@id</th>${ends ? html`<th scope="col">@src</th><th scope="col">@dst</th>` : nothing}${shown.map(p => html`<th scope="col">${p.name}</th>`)}</tr></thead>
    <tbody>${mine.rows.map((r, i) => html`<tr aria-selected=${String(r['@id']) === recordState.id} @click=${e => choose(e, r)}>
      ${mine.fits ? html`<td class="r muted">${mine.fits[i]?.toFixed(3) ?? value(null)}</td>` : nothing}<td><a href=${to({ id: String(r['@id']) })} @click=${e => e.stopPropagation()}>${visible(String(r['@id']))}</a></td>${ends ? html`<td>${visible(String(r['@src']))}</td><td>${visible(String(r['@dst']))}</td>` : nothing}
      ${shown.map(p => html`<td class=${/int|float/.test(p.kind) ? 'r' : ''}>${value(r[p.name])}</td>`)}</tr>`)}</tbody></table></div>`;
}

function turn(next) {
  if (next) { mine.befores.push(mine.after); location.hash = to({ after: mine.fits ? String(mine.past + PAGE) : String(mine.rows.at(-1)['@id']), id: null }); }
  else { const before = mine.befores.pop() ?? null; location.hash = to({ after: before, id: null }); }
}

function listing(type) {
  const denied = forbids('change');
  return html`<section class="card listing" aria-label=${`Records of ${type.name}`}>
    <div class="bar"><h2>${type.name}</h2>${filterBar(type, mine.filter, filter => { mine.befores = []; location.hash = to({ filter: filter ? JSON.stringify(filter) : null, after: null, id: null }); })}
      <span class="grow"></span><button class="quiet" ?disabled=${!!denied} title=${denied ?? nothing} @click=${importLines}>Import…</button></div>
    ${mine.error ? refused(mine.error, list) : !mine.rows ? waiting('Reading the records…', () => mine.stop?.abort(new api.Stopped()))
      : mine.rows.length ? rows(type) : mine.filter ? empty('No record fits the filter.') : mine.after ? empty('There are no more records.') : empty(`There is no ${type.name} yet.`, html`A mutation <a href=${address({ page: 'query', link: {} })}>on the page Query</a> inserts one, and Import loads many.`)}
    <div class="note pager"><span>${mine.after !== null || mine.more ? `${PAGE} records a page, ${mine.fits ? 'the best first' : 'by @id'}` : mine.fits ? 'the best first' : nothing}</span><span class="grow"></span>
      <button class="quiet" ?disabled=${mine.after === null} @click=${() => (mine.befores.length ? turn(false) : (location.hash = to({ after: null, id: null })))}>${mine.befores.length || mine.after === null ? 'Previous' : 'First page'}</button>
      <button class="quiet" ?disabled=${!mine.more} @click=${() => turn(true)}>Next</button></div>
  </section>`;
}

/** Keys: j and k go along the records, Esc closes one. */
export function key(e) {
  if (e.key === 'Escape' && recordState.id) { location.hash = to({ id: null, view: null }); return; }
  if (!mine.rows?.length || !'jk'.includes(e.key)) return;
  const at = mine.rows.findIndex(r => String(r['@id']) === recordState.id), next = mine.rows[at + (e.key === 'j' ? 1 : -1)];
  if (next) location.hash = to({ id: String(next['@id']) });
}

export function page() {
  const type = state.types.get(mine.type);
  return html`<div class="data ${recordState.id ? 'with-record' : ''}">${chooser()}
    ${type ? listing(type) : empty('Choose a type.', 'Its records are shown here, fifty at a time.')}
    ${recordState.id && type ? record(type, { close: to({ id: null, view: null }), view: view => { note(linkOf({ view })); change(); }, shown: state.link.view, name: entity => visible(String(labelOf(entity))), like: likeFilters(type, recordState.id).map(f => [f[0], to({ filter: JSON.stringify(f), after: null })]) }) : nothing}</div>`;
}
