// A merge: the dry run is its preview; conflicts side by side, each with the side to take; then the merge itself.
import { html, nothing } from 'lit-html';
import { state, change, address, past, say } from '../store.js';
import * as api from '../api.js';
import { ask } from './dialog.js';
import { refused, waiting, empty } from './states.js';
import { SCRATCH } from './write.js';
import { byType } from './diff.js';
import { conflicts, take, resolutions } from './conflicts.js';
import { count, plural, short } from './value.js';

export const mergeState = { source: '', target: '', by: 'property', first: null, checked: null, brings: null, picks: new Map(), opened: new Set(), error: null, busy: false };
const m = mergeState;

const body = () => ({ source: m.source, target: m.target, settings: { merge_granularity: m.by }, resolutions: resolutions(m.picks) });

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

async function pick(c, property, side) {
  change(() => { take(m.picks, c, property, side); m.busy = true; m.error = null; });
  try { const checked = await api.previewMerge(state.graph, body()); change(() => { m.checked = checked; }); }
  catch (e) { change(() => { m.error = e; }); } finally { change(() => { m.busy = false; }); }
}

/** Whether the source is a scratch branch, which is merged or deleted and not kept. */
const tried = () => m.source.startsWith(SCRATCH);

function drop() {
  const name = m.source;
  ask({
    title: 'Forget what was tried', danger: true, action: `Delete ${name} of ${state.graph}`,
    body: () => html`<p>${m.target} stays as it is.</p>`,
    async run() { await api.deleteBranch(state.graph, name); return () => { location.hash = address({ page: 'branches', branch: m.target, link: {} }); say(`${name} is deleted`); dispatchEvent(new Event('refreshplace')); }; },
  });
}

function send() {
  const changes = m.checked.preview?.changes ?? 0, mine = { message: '', remove: tried() };
  const d = {
    title: `Merge ${m.source} into ${m.target}`, action: `Merge ${plural(changes, 'change')} into ${m.target}`,
    body: () => html`<label class="field"><span>Message <small>why, for the history</small></span><input maxlength="4000" .value=${mine.message} @input=${e => { mine.message = e.target.value; }}></label>
      <label class="check"><input type="checkbox" .checked=${mine.remove} @change=${e => { mine.remove = e.target.checked; state.dialog.type = mine.remove && !tried() ? m.source : null; change(); }}> Delete ${m.source} afterwards</label>`,
    async run() {
      const done = await api.merge(state.graph, { ...body(), delete_branch: mine.remove || undefined, message: mine.message || undefined });
      return () => {
        say(`${m.source} is merged into ${m.target}`);
        if (done.branch_deleted) {
          // The page would read a branch that is no more: the history of the target is shown instead.
          location.hash = address({ page: 'commits', branch: m.target, link: { commit: done.commit?.graph_commit_id } });
          dispatchEvent(new Event('refreshplace'));
          return;
        }
        ask({ title: 'Merged', body: () => html`<p>${done.outcome.replaceAll('_', ' ')}${done.commit ? html`, commit <a href=${address({ page: 'commits', branch: m.target, link: { commit: done.commit.graph_commit_id } })}><code>${short(done.commit.graph_commit_id)}</code></a>` : nothing}.${done.branch_delete_error ? html` The branch stays: ${done.branch_delete_error}` : nothing}</p>` });
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
    : now?.outcome === 'conflict' ? `${plural(open, 'conflict')} ${open === 1 ? 'is' : 'are'} open` : now?.outcome === 'already_up_to_date' ? 'There is nothing to merge.' : null;
  return html`<section class="card"><div class="bar wrap">${fields}
      <label class="pick"><span>Conflicts by</span><select @change=${e => by(e.target.value)}><option value="property" ?selected=${m.by === 'property'}>property</option><option value="entity" ?selected=${m.by === 'entity'}>entity</option></select></label><span class="grow"></span>
      ${now ? html`<span class="facts"><b>${now.outcome.replaceAll('_', ' ')}</b>${now.preview ? html` · ${plural(now.preview.changes, 'change')} · ${plural(open, 'conflict')}` : nothing}</span>` : nothing}
      ${tried() ? html`<button class="danger-quiet" @click=${drop}>Delete…</button>` : nothing}<button class="primary" ?disabled=${!now || !!why || m.busy} title=${why ?? nothing} @click=${send}>Merge…</button></div>
    <div class="pad">${m.error ? refused(m.error, () => preview(m.source, m.target, m.by)) : nothing}
      ${!m.first ? (m.error ? nothing : waiting('Trying the merge…')) : html`
      ${why && now.outcome === 'conflict' ? html`<p class="warn-line" role="status">${why}. Take a side for each, or change one of the branches.</p>` : nothing}
      ${p ? conflicts(p, { source: m.source, target: m.target, picks: m.picks, pick }) : nothing}
      <h3>What ${m.source} brings</h3>${!m.brings ? (p ? waiting('Reading the changes…') : empty('Nothing.', 'The target has all of it.')) : m.brings.changes.length ? html`${byType(m.brings.changes, m.opened, name => change(() => { m.opened = new Set([...m.opened, name]); }))}${m.brings.next_page_token ? html`<p class="note">The first ${count(m.brings.changes.length)} changes since the merge base.</p>` : nothing}` : empty('Nothing.', 'The target has all of it.')}`}</div></section>`;
}
