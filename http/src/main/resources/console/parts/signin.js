// Sign-in over the page: what was typed there stays. The token lives in this page's memory, or in this tab where that is wished.
import { html, nothing } from 'lit-html';
import { ref } from 'lit-html/directives/ref.js';
import { state, change } from '../store.js';
import { setToken, tokenEnds, currentToken } from '../api.js';
import { settings, signInAtProvider } from './oidc.js';
import { refused } from './states.js';

const WARN_MILLIS = 60_000;
let waiting = null, timer = 0;

/** Asks for a token. All requests that were refused wait for the same one. */
export function signIn(refusedToken = null, why = refusedToken ? 'The server did not accept the token.' : 'The server asks for a credential.') {
  // Another request has signed in since this one was sent.
  if (refusedToken !== currentToken() && currentToken()) return Promise.resolve();
  waiting ??= new Promise((done, failed) => change(s => { s.signIn = { why, done, failed, busy: null, error: null }; }));
  return waiting;
}

export function signOut() {
  setToken(null);
  location.reload();
}

/** Before the token ends: takes the next one of the provider, or asks for one. Short tokens have half of their time. */
function arm(renew) {
  clearTimeout(timer);
  const left = (tokenEnds() ?? Infinity) - Date.now();
  if (left === Infinity) return;
  timer = setTimeout(async () => {
    try { if (renew) { const next = await renew(); setToken(next.token); arm(next.renew); return; } } catch { /* a person has to sign in */ }
    signIn(currentToken(), 'Your token is about to end. Sign in again.').catch(() => {});
  }, Math.min(2 ** 31 - 1, Math.max(left - WARN_MILLIS, left / 2, 0)));
}

async function withProvider() {
  const asked = state.signIn, busy = new AbortController();
  change(() => { asked.busy?.abort(); asked.busy = busy; asked.error = null; });
  try {
    const { token, renew } = await signInAtProvider(busy.signal);
    if (state.signIn === asked && !busy.signal.aborted) finish(token, false, renew);
  } catch (e) { if (!busy.signal.aborted) change(() => { asked.busy = null; asked.error = e; }); }
}

function finish(value, keep, renew = null) {
  const { done } = state.signIn;
  state.signIn.busy?.abort();
  setToken(value, keep);
  waiting = null;
  arm(renew);
  change(s => { s.signIn = null; });
  done();
  dispatchEvent(new Event('signedin'));
}

function cancel() {
  const { failed } = state.signIn;
  state.signIn.busy?.abort();
  waiting = null;
  change(s => { s.signIn = null; });
  failed(Object.assign(new Error('not signed in'), { status: 401, code: 'unauthorized' }));
}

function provider() {
  const { busy, error } = state.signIn;
  return html`<button class="primary wide" type="button" autofocus @click=${withProvider}>${busy ? html`<span class="spin"></span>` : nothing}Sign in with ${new URL(settings.issuer).host}</button>
    ${busy ? html`<p class="hint" role="status">Sign in in the window of the provider. If it has gone, click again.</p>` : nothing}${error ? refused(error) : nothing}
    <p class="hint">or give a token:</p>`;
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
        ${settings ? provider() : nothing}
        <label class="field"><span>Token</span><input name="token" type="password" autocomplete="off" spellcheck="false" ?autofocus=${!settings} required></label>
        <label class="check"><input name="keep" type="checkbox"> Keep it for this tab</label>
        <p class="hint">The token is sent to this server only. It is forgotten when the page closes.</p></div>
      <div class="dialog-foot"><button type="button" @click=${cancel}>Cancel</button><button class=${settings ? '' : 'primary'} type="submit">${settings ? 'Use the token' : 'Sign in'}</button></div>
    </form></dialog>`;
}
