// A filter on one property of a type: a search where the property is searched, else a comparison; or what is like a record.
import { html, nothing } from 'lit-html';
import { visible } from './value.js';

const OPERATORS = { string: ['=', 'starts_with', 'contains', '>=', '<='], bool: ['='], other: ['=', '>=', '<=', '>', '<'] };
/** What ranks or finds by words, for properties with `@search`. `like` has the id of a record in place of a text. */
const SEARCHES = { search: 'any word', all: 'all words', phrase: 'phrase', fuzzy: 'misspelt' };
const of = p => [...(p.search ? Object.keys(SEARCHES) : []), ...(p.kind === 'list' ? [] : OPERATORS[p.kind] ?? OPERATORS.other)];

/** A filter of an address: `[property, operator, text]`; null for a broken one. */
export function readFilter(text) {
  try { const f = JSON.parse(text); return Array.isArray(f) && f.length === 3 && f.every(x => typeof x === 'string') ? f : null; } catch { return null; }
}

/** Whether records of the type can be compared by a vector, and the filter that does so. */
export const likeFilters = (type, id) => type.kind !== 'node' ? [] : type.properties.filter(p => p.kind === 'vector').map(p => [p.name, 'like', id]);

const CONDITIONS = { search: p => `search(${p}, $v)`, all: p => `search(${p}, $v, "all")`, phrase: p => `match_text(${p}, $v)`, fuzzy: p => `fuzzy(${p}, $v)` };

/** The condition over `$r` and `$v`, the type of `$v` and its value; `rank`, what orders the best first, where it ranks. */
export function filterText([name, operator, text], type) {
  const p = type.properties.find(x => x.name === name), at = `$r.${name}`;
  if (operator === 'like' && p?.kind === 'vector') return { condition: `$o: ${type.name}  $o.@id = $v  $r.@id != $v`, type: 'String', value: text, rank: `nearest(${at}, $o.${name})` };
  if (!p || !of(p).includes(operator)) throw Object.assign(new Error(`${type.name} has no filter ${name} ${operator}`), { status: 400, code: 'filter' });
  if (operator in CONDITIONS) return { condition: CONDITIONS[operator](at), type: 'String', value: text, rank: operator === 'fuzzy' ? null : `bm25(${at}, $v)` };
  const value = p.kind === 'bool' ? text === 'true' : p.kind === 'int' || p.kind === 'float' ? Number(text) : text;
  return { condition: `${at} ${operator} $v`, type: p.type.startsWith('enum') ? 'String' : p.type, value };
}

/** @param apply is told of a new filter, or null */
export function filterBar(type, filter, apply) {
  const usable = type.properties.filter(p => p.search ? p.kind !== 'vector' : !['blob', 'vector', 'list'].includes(p.kind));
  const clear = filter ? html`<button type="button" class="quiet" @click=${() => apply(null)}>Clear</button>` : nothing;
  if (filter?.[1] === 'like') return html`<span class="filter"><span class="tag good-tag">like ${visible(filter[2])} by ${filter[0]}</span>${clear}</span>`;
  if (!usable.length) return nothing;
  const first = p => p.search ? 0 : p.key || p.index ? 1 : 2, ordered = usable.toSorted((a, b) => first(a) - first(b));
  const p = usable.find(x => x.name === filter?.[0]) ?? ordered[0], now = filter?.[1] ?? of(p)[0];
  const submit = e => {
    e.preventDefault();
    const f = e.target.elements, text = f.value.value.trim();
    apply(text ? [f.property.value, f.operator.value, text] : null);
  };
  const fit = e => { const q = usable.find(x => x.name === e.target.value), s = e.target.form.elements.operator; for (const o of s.options) o.hidden = !of(q).includes(o.value); s.value = of(q)[0]; };
  return html`<form class="filter" @submit=${submit} role="search">
    <select name="property" aria-label="Property" @change=${fit}>${ordered.map(o => html`<option value=${o.name} ?selected=${o === p}>${o.name}${o.search ? ' ⌕' : o.key || o.index ? ' •' : ''}</option>`)}</select>
    <select name="operator" aria-label="Comparison">${[...Object.keys(SEARCHES), ...new Set(Object.values(OPERATORS).flat())].map(o => html`<option value=${o} ?hidden=${!of(p).includes(o)} ?selected=${o === now}>${SEARCHES[o] ?? o.replace('_', ' ')}</option>`)}</select>
    <input name="value" data-filter type="search" aria-label="Value" placeholder=${p.search ? 'search' : 'filter'} spellcheck="false" autocomplete="off" .value=${filter?.[2] ?? ''}>
    ${clear}</form>`;
}
