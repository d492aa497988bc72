// Taking a commit back, making it again elsewhere, or setting a branch back: the dry run is shown before it is done.
import { html, nothing } from 'lit-html';
import { state, change, address, say } from '../store.js';
import * as api from '../api.js';
import { ask } from './dialog.js';
import { refused, waiting } from './states.js';
import { conflicts, take, resolutions } from './conflicts.js';
import { count, plural, short } from './value.js';

const WORDS = {
  revert: ['Revert', 'One commit that takes back what it changed, where nothing has changed it since.'],
  pick: ['Pick', 'One commit that makes the same changes again.'],
  restore: ['Restore', 'One commit after which the branch has what it had then. Later commits stay in the history.'],
};

/** Asks for the branch, shows what would happen, and does it. @param how `revert`, `pick` or `restore` */
export function undo(how, commit) {
  const [word, what] = WORDS[how], mine = { branch: state.branch, message: '', first: null, preview: null, picks: new Map(), error: null, of: 0 };
  const call = dry => how === 'restore' ? api.restore(state.graph, mine.branch, { to: commit, dry_run: dry || undefined, message: !dry && mine.message ? mine.message : undefined })
    : api.undo(state.graph, commit, how, { branch: mine.branch, granularity: 'property', resolutions: resolutions(mine.picks), dry_run: dry || undefined, message: !dry && mine.message ? mine.message : undefined });
  const look = async () => {
    const own = ++mine.of;
    change(() => { mine.preview = mine.error = null; });
    try { const preview = await call(true); if (own === mine.of) change(() => { mine.preview = preview; mine.first ??= preview; }); }
    catch (e) { if (own === mine.of) change(() => { mine.error = e; }); }
  };
  const pick = (c, property, side) => { take(mine.picks, c, property, side); look(); };
  const onBranch = branch => { Object.assign(mine, { branch, first: null, picks: new Map() }); state.dialog.action = `${word} on ${branch}`; look(); };
  const shown = () => {
    const p = mine.preview ?? mine.first, d = p?.preview, open = d?.conflict_count ?? 0;
    if (!p) return mine.error ? refused(mine.error) : waiting('Trying it…');
    if (p.outcome === 'already_up_to_date') return html`<p>There is nothing to do: ${mine.branch} has it so already.</p>`;
    return html`${mine.error ? refused(mine.error) : nothing}${open ? nothing : html`<p><b>${plural(d.changes, 'entity', 'entities')}</b> would change.</p>`}
      ${open ? html`<p class="warn-line" role="status">${plural(open, 'conflict')}: later commits have changed the same. Take a side for each.</p>` : nothing}
      ${conflicts(mine.first.preview, { source: how === 'pick' ? 'the commit' : 'before it', target: mine.branch, picks: mine.picks, pick })}
      ${p.left_out?.length ? html`<p class="muted">Left out, because the schema has no place for it: ${p.left_out.map(l => `${l.type_name}${l.property ? '.' + l.property : ''} (${count(l.count)})`).join(', ')}.</p>` : nothing}`;
  };
  ask({
    title: `${word} ${short(commit)}`, action: `${word} on ${mine.branch}`, wide: true,
    ready: () => mine.preview?.outcome === 'merged',
    body: () => html`<p class="muted">${what}</p>
      <label class="field"><span>Branch</span><select @change=${e => onBranch(e.target.value)}>${state.branches.map(b => html`<option value=${b.name} ?selected=${b.name === mine.branch}>${b.name}</option>`)}</select></label>
      ${shown()}
      <label class="field"><span>Message <small>why, for the history</small></span><input maxlength="4000" .value=${mine.message} @input=${e => { mine.message = e.target.value; }}></label>`,
    async run() {
      const done = await call(false);
      return () => { say(`${word}: done`); location.hash = address({ page: 'commits', branch: mine.branch, snapshot: null, asOf: null, link: { commit: done.commit.graph_commit_id } }); dispatchEvent(new Event('refreshplace')); };
    },
  });
  look();
}
