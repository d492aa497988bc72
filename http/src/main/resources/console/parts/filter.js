// A filter on one property of a type: keys and indexed ones first.
import { html, nothing } from 'lit-html';

const OPERATORS = { string: ['=', 'starts_with', 'contains', '>=', '<='], bool: ['='], other: ['=', '>=', '<=', '>', '<'] };
const of = p => OPERATORS[p.kind] ?? OPERATORS.other;

/** A filter of an address: `[property, operator, text]`; null for a broken one. */
export function readFilter(text) {
  try { const f = JSON.parse(text); return Array.isArray(f) && f.length === 3 && f.every(x => typeof x === 'string') ? f : null; } catch { return null; }
}

/** The condition over `$r` and `$v`, the type of `$v` and its value. */
export function filterText([name, operator, text], type) {
  const p = type.properties.find(x => x.name === name), known = p && of(p).includes(operator);
  if (!known) throw Object.assign(new Error(`${type.name} has no filter ${name} ${operator}`), { status: 400, code: 'filter' });
  const value = p.kind === 'bool' ? text === 'true' : p.kind === 'int' || p.kind === 'float' ? Number(text) : text;
  return { condition: `$r.${name} ${operator} $v`, type: p.type.startsWith('enum') ? 'String' : p.type, value };
}

/** @param apply is told of a new filter, or null */
export function filterBar(type, filter, apply) {
  const plain = type.properties.filter(p => !['blob', 'vector', 'list'].includes(p.kind));
  if (!plain.length) return nothing;
  const ordered = [...plain.filter(p => p.key || p.index), ...plain.filter(p => !p.key && !p.index)];
  const p = plain.find(x => x.name === filter?.[0]) ?? ordered[0];
  const submit = e => {
    e.preventDefault();
    const f = e.target.elements, text = f.value.value.trim();
    apply(text ? [f.property.value, f.operator.value, text] : null);
  };
  return html`<form class="filter" @submit=${submit} role="search">
    <select name="property" aria-label="Property" @change=${e => { const q = plain.find(x => x.name === e.target.value), s = e.target.form.elements.operator; for (const o of s.options) o.hidden = !of(q).includes(o.value); s.value = '='; }}>${ordered.map(o => html`<option value=${o.name} ?selected=${o === p}>${o.name}${o.key || o.index ? ' •' : ''}</option>`)}</select>
    <select name="operator" aria-label="Comparison">${[...new Set(Object.values(OPERATORS).flat())].map(o => html`<option value=${o} ?hidden=${!of(p).includes(o)} ?selected=${o === (filter?.[1] ?? '=')}>${o.replace('_', ' ')}</option>`)}</select>
    <input name="value" data-filter type="search" aria-label="Value" placeholder="filter" spellcheck="false" autocomplete="off" .value=${filter?.[2] ?? ''}>
    ${filter ? html`<button type="button" class="quiet" @click=${() => apply(null)}>Clear</button>` : nothing}</form>`;
}
