// Changes of entities: before and after, with only what differs marked. For commits, comparisons and histories.
import { html, nothing } from 'lit-html';
import { toJson } from '../api.js';
import { value, count, plural, visible } from './value.js';

export const SIGN = { insert: '+', update: '~', delete: '−' };
const WORDS = { insert: 'inserted', update: 'updated', delete: 'deleted' };
const TOTALS = ['inserted', 'updated', 'deleted'];
const SHOWN = 20;

export const same = (a, b) => toJson(a ?? null) === toJson(b ?? null);
export const sign = (op, n) => html`<span class="op ${op}ed ${op}">${SIGN[op]}${count(n)}</span>`;

/** The six counts of a commit as signs. */
export function totals(changes) {
  return TOTALS.map((done, i) => {
    const n = changes[`nodes_${done}`] + changes[`edges_${done}`];
    return n ? html`<span class="op ${done}" title="${changes[`nodes_${done}`]} nodes, ${changes[`edges_${done}`]} edges ${done}">${Object.values(SIGN)[i]}${count(n)}</span>` : nothing;
  });
}
export const totalOf = changes => Object.values(changes).reduce((a, b) => a + b, 0);

/** Both images of one entity; either may be missing. */
export function images(before, after, all = false) {
  const names = [...new Set([...Object.keys(before?.properties ?? {}), ...Object.keys(after?.properties ?? {})])];
  const differs = n => before && after && !same(before.properties[n], after.properties[n]);
  const moved = before?.endpoints && after?.endpoints && !same(before.endpoints, after.endpoints);
  const rest = before && after && !all ? names.filter(n => !differs(n)).length : 0;
  return html`<table class="images"><thead class="sr"><tr><th>Property</th>${before ? html`<th>Before</th>` : nothing}${after ? html`<th>After</th>` : nothing}</tr></thead><tbody>
    ${names.filter(n => !rest || differs(n) || names.length <= 6).map(n => {
      const a = before?.properties?.[n], b = after?.properties?.[n], changed = differs(n);
      // What is the same before and after stands there once.
      if (before && after && !changed) return html`<tr><th scope="row">${visible(n)}</th><td colspan="2">${value(b)}</td></tr>`;
      return html`<tr class=${changed ? 'differs' : ''}><th scope="row">${visible(n)}</th>
        ${before ? html`<td class="before"><del>${value(a)}</del></td>` : nothing}
        ${after ? html`<td class="after"><ins>${value(b)}</ins></td>` : nothing}</tr>`;
    })}
    ${moved ? html`<tr class="differs"><th scope="row">ends</th><td>${before.endpoints.from} → ${before.endpoints.to}</td><td>${after.endpoints.from} → ${after.endpoints.to}</td></tr>` : nothing}
    ${rest && names.length > 6 ? html`<tr><td colspan="3" class="muted">${plural(rest, 'property is', 'properties are')} the same</td></tr>` : nothing}
  </tbody></table>`;
}

export function changeItem(x) {
  const ends = (x.after ?? x.before)?.endpoints;
  return html`<li>
    <div class="head"><span class="op ${x.op}ed ${x.op}">${SIGN[x.op]} ${WORDS[x.op]}</span><b>${x.type.name}</b><code>${visible(String(x.id))}</code>${ends ? html`<span class="muted">${visible(`${ends.from} → ${ends.to}`)}</span>` : nothing}</div>
    ${images(x.before, x.after)}
  </li>`;
}

/** A type or a property of a step as the schema writes it; JSON for anything else. */
function written(v) {
  if (typeof v !== 'object' || v === null) return String(v);
  if (Array.isArray(v.properties)) return `${v.from ? `${v.from.declared} → ${v.to.declared} ` : ''}{ ${v.properties.map(p => `${p.name}: ${written(p)}`).join(', ')} }`.replace('{  }', '{ }');
  return typeof v.type === 'string' && 'nullable' in v ? `${v.type}${v.nullable ? '?' : ''}${v.annotations?.some(a => a.name === 'key') ? ' @key' : ''}` : toJson(v);
}

/** The steps of a change of the schema. */
export const steps = list => html`<ol class="steps">${list.map(s => {
  const what = [['once', s.from], ['', s.constraint], ['from', s.before], [s.before ? 'to' : '', s.after ?? s.definition]].filter(([, v]) => v !== undefined);
  return html`<li><b>${s.step.replaceAll('_', ' ')}</b> ${s.property ? nothing : s.kind} <code>${[s.type_name, s.property].filter(Boolean).join('.')}</code>${what.map(([word, v]) => html` ${word ? html`<span class="muted">${word}</span> ` : nothing}<code>${written(v)}</code>`)}</li>`;
})}</ol>`;

/** Changes by type, twenty of each at first. `more` shows all of a type. */
export function byType(changes, opened, more) {
  const groups = new Map();
  for (const x of changes) { const l = groups.get(x.type.name); if (l) l.push(x); else groups.set(x.type.name, [x]); }
  return [...groups].map(([name, list]) => html`<details class="group" open><summary><b>${name}</b> ${Object.keys(SIGN).map(op => { const n = list.filter(x => x.op === op).length; return n ? sign(op, n) : nothing; })}</summary>
    <ul class="changes">${list.slice(0, opened.has(name) ? undefined : SHOWN).map(changeItem)}</ul>
    ${list.length > SHOWN && !opened.has(name) ? html`<button class="link" @click=${() => more(name)}>Show all ${count(list.length)}</button>` : nothing}</details>`);
}
