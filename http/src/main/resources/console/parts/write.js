// The dialog before a write in GQ: what runs, where, why, and that the branch was not moved meanwhile.
import { html, nothing } from 'lit-html';
import { state, change } from '../store.js';
import { ask } from './dialog.js';
import { short } from './value.js';

/**
 * @param write `title`, `statement`, `run(more, head)` with the fields of the note and the commit that must be the head, or
 *     null; `done(answer)` afterwards; `danger`
 */
export function confirmWrite({ title, statement, body, run, done, danger }) {
  const head = state.branches?.find(b => b.name === state.branch)?.head_commit_id;
  const mine = { only: !!head, message: '' };
  ask({
    title, danger, wide: true, action: `${danger ? 'Delete from' : 'Write to'} ${state.branch} of ${state.graph}`,
    body: () => html`${(typeof body === 'function' ? body() : body) ?? nothing}
      ${statement ? html`<pre class="statement" tabindex="0">${statement}</pre>` : nothing}
      <label class="field"><span>Message <small>why, for the history</small></span><input maxlength="4000" .value=${mine.message} @input=${e => { mine.message = e.target.value; }}></label>
      ${head ? html`<label class="check"><input type="checkbox" .checked=${mine.only} @change=${e => { mine.only = e.target.checked; change(); }}> Only if ${state.branch} is still at <code>${short(head)}</code></label>` : nothing}`,
    async run() {
      const answer = await run(mine.message ? { message: mine.message } : {}, mine.only ? head : null);
      return () => { done?.(answer); dispatchEvent(new Event('refreshplace')); };
    },
  });
}
