// A merge: the dry run is its preview; conflicts side by side, each with the side to take; then the merge itself.
import { html, nothing } from 'lit-html';
import { state, change, address, past, say } from '../store.js';
import * as api from '../api.js';
import { ask } from './dialog.js';
import { refused, waiting, empty } from './states.js';
import { byType, same } from './diff.js';
import { value, count, short, visible } from './value.js';

export const mergeState = { source: '', target: '', by: 'property', first: null, checked: null, brings: null, picks: new Map(), opened: new Set(), error: null, busy: false };
const m = mergeState;
const WORDS = { divergent_insert: 'inserted differently by both', divergent_update: 'changed differently by both', delete_vs_update: 'deleted by one, changed by the other', ambiguous_base: 'the merge bases disagree', orphan_edge: 'an end of the edge is gone', unique_violation: 'the value occurs twice', cardinality_violation: 'too many or too few edges', value_constraint_violation: 'a value breaks a constraint', schema_conflict: 'the schemas differ' };
const CHOSEN = new Set(['divergent_insert', 'divergent_update', 'delete_vs_update', 'ambiguous_base']);

const body = picks => ({ source: m.source, target: m.target, settings: { merge_granularity: m.by }, resolutions: picks?.length ? picks : undefined });

/** Runs the dry run; conflicts that had a choice before lose it. */
export async function preview(source, target, by = null) {
  change(() => Object.assign(m, { source, target, by: by === 'entity' ? 'entity' : 'property', first: null, checked: null, brings: null, picks: new Map(), opened: new Set(), error: null }));
  const of = m.picks;
  try {
    const first = await api.previewMerge(state.graph, body());
    if (m.picks !== of) return;
    change(() => { m.first = m.checked = first; });
    const base = first.preview?.base_commit_id;
    if (base) { const brings = await api.diff(state.graph, { from: base, to: source, limit: 200 }); if (m.picks === of) change(() => { m.brings = brings; }); }
  } catch (e) { if (m.picks === of) change(() => { m.error = e; }); }
}

const nameOf = (c, property) => JSON.stringify([c.entity_kind, c.type_name, c.entity_id, property ?? null]);
const resolutions = () => [...m.picks].map(([name, take]) => { const [entity_kind, type_name, entity_id, property] = JSON.parse(name); return { entity_kind, type_name, entity_id, ...(property ? { property } : {}), take }; });

async function pick(c, property, take) {
  const name = nameOf(c, property);
  change(() => { if (m.picks.get(name) === take) m.picks.delete(name); else m.picks.set(name, take); m.busy = true; m.error = null; });
  try { const checked = await api.previewMerge(state.graph, body(resolutions())); change(() => { m.checked = checked; }); }
  catch (e) { change(() => { m.error = e; }); } finally { change(() => { m.busy = false; }); }
}

function choice(c, property, what) {
  const now = m.picks.get(nameOf(c, property)), button = take => html`<button aria-pressed=${now === take} @click=${() => pick(c, property, take)}>${take === 'source' ? m.source : m.target}</button>`;
  return html`<span class="choice" role="group" aria-label=${`Which side to take for ${what}`}>take ${button('source')}${button('target')}</span>`;
}

function sides(c) {
  const names = [...new Set([c.base, c.source, c.target].flatMap(i => Object.keys(i?.properties ?? {})))], whole = !c.properties?.length;
  const of = (image, n) => image ? value(image.properties?.[n]) : html`<span class="muted">not there</span>`;
  const differs = n => !same(c.source?.properties?.[n], c.target?.properties?.[n]);
  const ends = i => i?.endpoints ? `${i.endpoints.from} → ${i.endpoints.to}` : '–';
  return html`<div class="scroll"><table class="images three"><thead><tr><th scope="col">Property</th><th scope="col">Base</th><th scope="col">${m.source}</th><th scope="col">${m.target}</th>${whole ? nothing : html`<th scope="col">Decision</th>`}</tr></thead>
    <tbody>${names.map(n => html`<tr class=${differs(n) ? 'differs' : ''}><th scope="row">${visible(n)}</th><td>${of(c.base, n)}</td><td>${of(c.source, n)}</td><td>${of(c.target, n)}</td>${whole ? nothing : html`<td>${c.properties.includes(n) ? choice(c, n, n) : nothing}</td>`}</tr>`)}
    ${c.entity_kind === 'edge' ? html`<tr><th scope="row">ends</th><td>${visible(ends(c.base))}</td><td>${visible(ends(c.source))}</td><td>${visible(ends(c.target))}</td>${whole ? nothing : html`<td>${['from', 'to'].filter(p => c.properties.includes(p)).map(p => choice(c, p, p))}</td>`}</tr>` : nothing}</tbody></table></div>`;
}

const conflict = c => html`<li class="conflict"><div class="head"><span class="op updated">${c.kind.replaceAll('_', ' ')}</span><b>${c.type_name}</b><code>${visible(c.entity_id)}</code><span class="muted">${WORDS[c.kind] ?? ''}</span><span class="grow"></span>${CHOSEN.has(c.kind) && !c.properties?.length ? choice(c, null, `${c.type_name} ${c.entity_id}`) : nothing}</div>
  ${c.message && !CHOSEN.has(c.kind) ? html`<p class="pad-line">${visible(c.message)}. Change it on one of the branches, then look again.</p>` : nothing}${c.source || c.target || c.base ? sides(c) : nothing}</li>`;

function send() {
  const changes = m.checked.preview?.changes ?? 0, mine = { message: '', remove: false };
  const d = {
    title: `Merge ${m.source} into ${m.target}`, action: `Merge ${count(changes)} ${changes === 1 ? 'change' : 'changes'} into ${m.target}`,
    body: () => html`<label class="field"><span>Message <small>why, for the history</small></span><input maxlength="4000" .value=${mine.message} @input=${e => { mine.message = e.target.value; }}></label>
      <label class="check"><input type="checkbox" .checked=${mine.remove} @change=${e => { mine.remove = e.target.checked; state.dialog.type = mine.remove ? m.source : null; change(); }}> Delete ${m.source} afterwards</label>`,
    async run() {
      const done = await api.merge(state.graph, { ...body(resolutions()), delete_branch: mine.remove || undefined, message: mine.message || undefined });
      return () => {
        say(`${m.source} is merged into ${m.target}`);
        ask({ title: 'Merged', body: () => html`<p>${done.outcome.replaceAll('_', ' ')}${done.commit ? html`, commit <a href=${address({ page: 'commits', branch: m.target, link: { commit: done.commit.graph_commit_id } })}><code>${short(done.commit.graph_commit_id)}</code></a>` : nothing}.${done.branch_delete_error ? html` The branch stays: ${done.branch_delete_error}` : done.branch_deleted ? ` ${m.source} is deleted.` : nothing}</p>` });
        dispatchEvent(new Event('refreshplace'));
      };
    },
  };
  ask(d);
}

/** @param fields the template of both sides; `by(name)` changes the granularity */
export function mergePane(fields, by) {
  const p = m.first?.preview, now = m.checked, open = now?.preview?.conflict_count ?? 0;
  const why = past() ? 'You are reading the past. Go back to now to merge.' : state.branch === m.target && state.actions && !state.actions.has('branch_merge') ? 'Your credential may not merge into this branch.'
    : now?.outcome === 'conflict' ? `${open} ${open === 1 ? 'conflict is' : 'conflicts are'} open` : now?.outcome === 'already_up_to_date' ? 'There is nothing to merge.' : null;
  return html`<section class="card"><div class="bar wrap">${fields}
      <label class="pick"><span>Conflicts by</span><select @change=${e => by(e.target.value)}><option value="property" ?selected=${m.by === 'property'}>property</option><option value="entity" ?selected=${m.by === 'entity'}>entity</option></select></label><span class="grow"></span>
      ${now ? html`<span class="facts"><b>${now.outcome.replaceAll('_', ' ')}</b>${now.preview ? html` · ${count(now.preview.changes)} ${now.preview.changes === 1 ? 'change' : 'changes'} · ${count(open)} ${open === 1 ? 'conflict' : 'conflicts'}` : nothing}</span>` : nothing}
      <button class="primary" ?disabled=${!now || !!why || m.busy} title=${why ?? nothing} @click=${send}>Merge…</button></div>
    <div class="pad">${m.error ? refused(m.error) : nothing}
      ${!m.first ? (m.error ? nothing : waiting('Trying the merge…')) : html`
      ${why && now.outcome === 'conflict' ? html`<p class="warn-line" role="status">${why}. Take a side for each, or change one of the branches.</p>` : nothing}
      ${p?.merge_conflicts.length ? html`<h3>Conflicts <b class="n">${count(p.conflict_count)}</b></h3><ul class="changes">${p.merge_conflicts.map(conflict)}</ul>${p.conflict_count > p.merge_conflicts.length ? html`<p class="note">The first ${count(p.merge_conflicts.length)} of ${count(p.conflict_count)}.</p>` : nothing}` : nothing}
      <h3>What ${m.source} brings</h3>${!m.brings ? (p ? waiting('Reading the changes…') : empty('Nothing.', 'The target has all of it.')) : m.brings.changes.length ? html`${byType(m.brings.changes, m.opened, name => change(() => { m.opened = new Set([...m.opened, name]); }))}${m.brings.next_page_token ? html`<p class="note">The first ${count(m.brings.changes.length)} changes since the merge base.</p>` : nothing}` : empty('Nothing.', 'The target has all of it.')}`}</div></section>`;
}
