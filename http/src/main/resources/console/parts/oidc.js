// Sign-in with an OpenID provider: authorization code with PKCE, as a public client. Code and tokens stay in this page's memory.
import { provider } from '../api.js';

const text = document.querySelector('meta[name=sign-in]').content;
/** `issuer`, `client_id`, `resource`, `scope`; null where the server takes no such identities, or knows no client for them. */
export const settings = text ? JSON.parse(text) : null;

const CHANNEL = 'service-console-sign-in';
const back = () => new URL('.', document.baseURI).href.split(/[?#]/)[0];
const base64 = bytes => btoa(String.fromCharCode(...bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
const random = () => base64(crypto.getRandomValues(new Uint8Array(32)));

/** In the window to which the provider sends people back: hands the answer to the page that asked. False elsewhere. */
export function isReturn() {
  const answer = new URLSearchParams(location.search);
  if (!settings || !answer.has('state')) return false;
  history.replaceState(null, '', location.pathname);
  new BroadcastChannel(CHANNEL).postMessage(Object.fromEntries(answer));
  document.getElementById('app').textContent = 'You may close this window.';
  window.close();
  return true;
}

async function discover() {
  const found = await provider(`${settings.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (found.issuer !== settings.issuer) throw new Error(`the identity provider calls itself ${found.issuer}, not ${settings.issuer}`);
  if (new URL(found.token_endpoint).origin !== new URL(settings.issuer).origin) throw new Error(`the provider gives tokens at ${found.token_endpoint}, which is not of the origin of ${settings.issuer}; give a token instead`);
  return found;
}

/** Waits for the window that has this state. */
function answered(state, signal) {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise((done, failed) => {
    channel.onmessage = ({ data }) => { if (data.state === state) done(data); };
    signal.onabort = () => failed(new Error('not signed in'));
  }).finally(() => channel.close());
}

/**
 * Signs in in a window of the provider; to be called by a click. Gives `{ token, renew }`; `renew()` gives the next
 * token, or is null where the provider gives no refresh token.
 */
export async function signInAtProvider(signal) {
  if (!crypto.subtle) throw new Error('browsers sign in on pages of HTTPS or of this machine only; give a token instead');
  const popup = window.open('about:blank', '_blank', 'popup,width=520,height=700');
  if (!popup) throw new Error('the browser has blocked the window of the provider; allow it for this page');
  try {
    const found = await discover(), verifier = random(), state = random();
    const challenge = base64(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
    const asked = new URL(found.authorization_endpoint);
    if (!/^https?:$/.test(asked.protocol)) throw new Error('the provider has no page to sign in');
    const all = { response_type: 'code', client_id: settings.client_id, redirect_uri: back(), state, code_challenge: challenge, code_challenge_method: 'S256', resource: settings.resource, scope: settings.scope };
    for (const [name, value] of Object.entries(all)) if (value) asked.searchParams.set(name, value);
    const coming = answered(state, signal);
    popup.location.href = asked.href;
    const answer = await coming;
    if (answer.iss && answer.iss !== settings.issuer) throw new Error(`the answer is of ${answer.iss}, not of ${settings.issuer}`);
    if (!answer.code) throw new Error(`the identity provider has refused: ${answer.error_description ?? answer.error ?? 'no code'}`);
    return await tokens(found.token_endpoint, { grant_type: 'authorization_code', code: answer.code, redirect_uri: back(), code_verifier: verifier });
  } catch (e) { popup.close(); throw e; }
}

async function tokens(endpoint, grant) {
  const given = await provider(endpoint, { ...grant, client_id: settings.client_id, resource: settings.resource });
  if (!given.access_token) throw new Error('the identity provider gave no access token');
  const next = given.refresh_token ?? grant.refresh_token;
  return { token: given.access_token, renew: next ? () => tokens(endpoint, { grant_type: 'refresh_token', refresh_token: next }) : null };
}
