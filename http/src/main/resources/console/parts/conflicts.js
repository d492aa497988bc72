// Conflicts of a merge, a revert or a pick: the three sides of each, and which side to take.
import { html, nothing } from 'lit-html';
import { same } from './diff.js';
import { value, count, visible } from './value.js';

const WORDS = { divergent_insert: 'inserted differently by both', divergent_update: 'changed differently by both', delete_vs_update: 'deleted by one, changed by the other', ambiguous_base: 'the merge bases disagree', orphan_edge: 'an end of the edge is gone', unique_violation: 'the value occurs twice', cardinality_violation: 'too many or too few edges', value_constraint_violation: 'a value breaks a constraint', schema_conflict: 'the schemas differ' };
const CHOSEN = new Set(['divergent_insert', 'divergent_update', 'delete_vs_update', 'ambiguous_base']);

const nameOf = (c, property) => JSON.stringify([c.entity_kind, c.type_name, c.entity_id, property ?? null]);

/** Takes a side, or takes it back when it was taken before. @param picks Map from a conflict to `source` or `target` */
export function take(picks, c, property, side) {
  const name = nameOf(c, property);
  if (picks.get(name) === side) picks.delete(name); else picks.set(name, side);
}

/** The sides as the API takes them; undefined without any. */
export function resolutions(picks) {
  const all = [...picks].map(([name, side]) => { const [entity_kind, type_name, entity_id, property] = JSON.parse(name); return { entity_kind, type_name, entity_id, ...(property ? { property } : {}), take: side }; });
  return all.length ? all : undefined;
}

function choice(c, property, what, m) {
  const now = m.picks.get(nameOf(c, property)), button = side => html`<button type="button" aria-pressed=${now === side} @click=${() => m.pick(c, property, side)}>${side === 'source' ? m.source : m.target}</button>`;
  return html`<span class="choice" role="group" aria-label=${`Which side to take for ${what}`}>take ${button('source')}${button('target')}</span>`;
}

function sides(c, m) {
  const names = [...new Set([c.base, c.source, c.target].flatMap(i => Object.keys(i?.properties ?? {})))], whole = !c.properties?.length;
  const of = (image, n) => image ? value(image.properties?.[n]) : html`<span class="muted">not there</span>`;
  const differs = n => !same(c.source?.properties?.[n], c.target?.properties?.[n]);
  const everywhere = n => c.base && c.source && c.target && !differs(n) && same(c.base.properties?.[n], c.source.properties?.[n]);
  const ends = i => i?.endpoints ? `${i.endpoints.from} → ${i.endpoints.to}` : '–';
  const decide = names => whole ? nothing : html`<td>${names.filter(n => c.properties.includes(n)).map(n => choice(c, n, n, m))}</td>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${`The sides of ${c.type_name} ${visible(c.entity_id)}`}><table class="images three"><thead><tr><th scope="col">Property</th><th scope="col">Base</th><th scope="col">${m.source}</th><th scope="col">${m.target}</th>${whole ? nothing : html`<th scope="col">Decision</th>`}</tr></thead>
    <tbody>${names.map(n => html`<tr class=${differs(n) ? 'differs' : ''}><th scope="row">${visible(n)}</th>${everywhere(n) ? html`<td colspan="3">${of(c.base, n)}</td>` : html`<td>${of(c.base, n)}</td><td>${of(c.source, n)}</td><td>${of(c.target, n)}</td>`}${decide([n])}</tr>`)}
    ${c.entity_kind === 'edge' ? html`<tr><th scope="row">ends</th><td>${visible(ends(c.base))}</td><td>${visible(ends(c.source))}</td><td>${visible(ends(c.target))}</td>${decide(['from', 'to'])}</tr>` : nothing}</tbody></table></div>`;
}

const conflict = (c, m) => html`<li class="conflict" tabindex="-1"><div class="head"><span class="op updated">${c.kind.replaceAll('_', ' ')}</span><b>${c.type_name}</b><code>${visible(c.entity_id)}</code><span class="muted">${WORDS[c.kind] ?? ''}</span><span class="grow"></span>${CHOSEN.has(c.kind) && !c.properties?.length ? choice(c, null, `${c.type_name} ${c.entity_id}`, m) : nothing}</div>
  ${c.message && !CHOSEN.has(c.kind) ? html`<p class="pad-line">${visible(c.message)}. Change it on one of the branches, then look again.</p>` : nothing}${c.source || c.target || c.base ? sides(c, m) : nothing}</li>`;

/**
 * All conflicts of a preview; nothing without any.
 *
 * @param m `source` and `target`, the names of the sides; `picks`; `pick(conflict, property, side)`
 */
export function conflicts({ merge_conflicts: list, conflict_count: total }, m) {
  if (!list.length) return nothing;
  return html`<h3>Conflicts <b class="n">${count(total)}</b></h3><ul class="changes">${list.map(c => conflict(c, m))}</ul>
    ${total > list.length ? html`<p class="note">The first ${count(list.length)} of ${count(total)}.</p>` : nothing}`;
}
