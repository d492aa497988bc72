// The dialog before a write in GQ: what runs, where, why, and that the branch was not moved meanwhile; or a try on a branch.
import { html, nothing } from 'lit-html';
import { state, change, address, say } from '../store.js';
import * as api from '../api.js';
import { ask } from './dialog.js';
import { short } from './value.js';

/** What the names of scratch branches begin with. */
export const SCRATCH = 'try/';

/** A name that no branch has: the time, and a number where two fall into the same second. */
function scratchName() {
  const taken = new Set(state.branches.map(b => b.name)), base = SCRATCH + new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').toLowerCase();
  for (let i = 1; ; i++) { const name = i === 1 ? base : `${base}-${i}`; if (!taken.has(name)) return name; }
}

/**
 * @param write `title`, `statement`, `run(branch, more, head)` with the branch that is written, the fields of the note and
 *     the commit that must be its head, or null; `done(answer)` afterwards; `danger`
 */
export function confirmWrite({ title, statement, body, run, done, danger }) {
  const branch = state.branch, head = state.branches?.find(b => b.name === branch)?.head_commit_id;
  const mine = { only: !!head, message: '' }, more = () => mine.message ? { message: mine.message } : {};
  ask({
    title, danger, wide: true, action: `${danger ? 'Delete from' : 'Write to'} ${branch} of ${state.graph}`,
    body: () => html`${(typeof body === 'function' ? body() : body) ?? nothing}
      ${statement ? html`<pre class="statement" tabindex="0">${statement}</pre>` : nothing}
      <label class="field"><span>Message <small>why, for the history</small></span><input maxlength="4000" .value=${mine.message} @input=${e => { mine.message = e.target.value; }}></label>
      ${head ? html`<label class="check"><input type="checkbox" .checked=${mine.only} @change=${e => { mine.only = e.target.checked; change(); }}> Only if ${branch} is still at <code>${short(head)}</code></label>` : nothing}`,
    async run() {
      const answer = await run(branch, more(), mine.only ? head : null);
      return () => { done?.(answer); dispatchEvent(new Event('refreshplace')); };
    },
    instead: {
      action: 'Try it on a branch', denied: state.actions && !state.actions.has('branch_create') ? 'Your credential may not create branches.' : null,
      async run() {
        const name = scratchName();
        await api.createBranch(state.graph, { name, from: branch });
        try { await run(name, more(), null); }
        catch (e) { await api.deleteBranch(state.graph, name).catch(() => {}); throw e; }
        return () => { say(`Tried on ${name}`); location.hash = address({ page: 'branches', link: { tab: 'merge', from: name, to: branch } }); dispatchEvent(new Event('refreshplace')); };
      },
    },
  });
}
