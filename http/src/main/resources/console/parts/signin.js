// Sign-in over the page: what was typed there stays. The token lives in this page's memory, or in this tab where that is wished.
import { html, nothing } from 'lit-html';
import { ref } from 'lit-html/directives/ref.js';
import { state, change } from '../store.js';
import { setToken, tokenEnds, currentToken } from '../api.js';

const WARN_MILLIS = 60_000;
let waiting = null, timer = 0;

/** Asks for a token. All requests that were refused wait for the same one. */
export function signIn(refusedToken = null, why = refusedToken ? 'The server did not accept the token.' : 'The server asks for a credential.') {
  // Another request has signed in since this one was sent.
  if (refusedToken !== currentToken() && currentToken()) return Promise.resolve();
  waiting ??= new Promise((done, failed) => change(s => { s.signIn = { why, done, failed }; }));
  return waiting;
}

export function signOut() {
  setToken(null);
  location.reload();
}

function finish(value, keep) {
  const { done } = state.signIn;
  setToken(value, keep);
  waiting = null;
  clearTimeout(timer);
  const ends = tokenEnds();
  if (ends) timer = setTimeout(() => signIn(currentToken(), 'Your token ends within a minute. Give another one.').catch(() => {}), Math.min(2 ** 31 - 1, Math.max(0, ends - Date.now() - WARN_MILLIS)));
  change(s => { s.signIn = null; });
  done();
  dispatchEvent(new Event('signedin'));
}

function cancel() {
  const { failed } = state.signIn;
  waiting = null;
  change(s => { s.signIn = null; });
  failed(Object.assign(new Error('not signed in'), { status: 401, code: 'unauthorized' }));
}

// A part is rendered before it stands in the document.
const show = ref(element => { if (element) queueMicrotask(() => { if (element.isConnected && !element.open) element.showModal(); }); });

export function signInDialog() {
  if (!state.signIn) return nothing;
  const submit = e => {
    e.preventDefault();
    const form = e.target, value = form.elements.token.value.trim().replace(/^Bearer\s+/i, '');
    if (value) finish(value, form.elements.keep.checked);
  };
  return html`<dialog aria-labelledby="signin-title" ${show} @cancel=${cancel}>
    <form method="dialog" @submit=${submit}>
      <h2 id="signin-title">Sign in</h2>
      <div class="dialog-body"><p>${state.signIn.why}</p>
        <label class="field"><span>Token</span><input name="token" type="password" autocomplete="off" spellcheck="false" autofocus required></label>
        <label class="check"><input name="keep" type="checkbox"> Keep it for this tab</label>
        <p class="hint">The token is sent to this server only. It is forgotten when the page closes.</p></div>
      <div class="dialog-foot"><button type="button" @click=${cancel}>Cancel</button><button class="primary" type="submit">Sign in</button></div>
    </form></dialog>`;
}
