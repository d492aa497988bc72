// A state that cleanup has reclaimed: finds the oldest commit of the branch that can be read, by bisection.
import { html } from 'lit-html';
import { state, change, go, say } from '../store.js';
import * as api from '../api.js';

const mine = { busy: false };

async function readable(id) {
  try { await api.snapshot(state.graph, { snapshot: id }); return true; }
  catch (e) { if (e.status === 410) return false; throw e; }
}

async function find() {
  change(() => { mine.busy = true; });
  try {
    const { commits } = await api.commits(state.graph, { branch: state.branch, limit: 1000 });
    let good = 0, bad = commits.length;                            // newest first; the head is always readable
    while (bad - good > 1) { const middle = good + bad >> 1; if (await readable(commits[middle].graph_commit_id)) good = middle; else bad = middle; }
    go({ snapshot: good ? commits[good].graph_commit_id : null, asOf: null, link: state.link });
  } catch (e) { say(e.message); } finally { change(() => { mine.busy = false; }); }
}

export const oldest = () => html`<p class="note">Cleanup has reclaimed this state. Later ones can be read.</p>
  <button ?disabled=${mine.busy} @click=${find}>${mine.busy ? 'Looking…' : 'Go to the oldest that can be read'}</button>`;
