// What every page shows while it waits, when it is empty, and when it was refused. Styles delay the first two.
import { html, nothing } from 'lit-html';
import { moved } from './moved.js';
import { oldest } from './oldest.js';
import { stopReading } from '../api.js';
import { count } from './value.js';

/** Nothing for 200 ms, then moving lines; after a second a button that stops it. */
export function waiting(what, stop = stopReading) {
  return html`<div class="waiting" role="status"><p><span class="spin" aria-hidden="true"></span>${what}</p>
    <i class="line" aria-hidden="true"></i><i class="line" aria-hidden="true"></i><i class="line" aria-hidden="true"></i>
    <button class="stop late" @click=${() => stop()}>Stop</button></div>`;
}

export const empty = (title, text = nothing) => html`<div class="empty"><b>${title}</b>${text === nothing ? nothing : html`<p>${text}</p>`}</div>`;

/** The server's own message, the status and the request id, and what to do. */
export function refused(error, again) {
  if (!error) return nothing;
  const title = error.name === 'Stopped' ? 'Stopped' : error.status === undefined ? 'The page failed' : error.status === 0 ? 'Unreachable' : `Refused · ${error.status} ${error.code}`;
  return html`<div class="refused" role="alert"><h3>${title}</h3><pre>${error.message}</pre>
    ${advice(error)}
    ${error.requestId ? html`<p class="note">Request <code>${error.requestId}</code></p>` : nothing}
    ${again ? html`<button @click=${again}>Try again</button>` : nothing}</div>`;
}

function advice(error) {
  const limit = error.body?.resource_limit, denied = error.body?.forbidden;
  if (error.status === 410) return error.code === 'change_feed_gap' ? html`<p class="note">Cleanup has reclaimed what comes after this place.</p>` : oldest();
  if (error.body?.precondition_failure?.actual) return moved(error.body.precondition_failure);
  if (limit) return html`<p class="note">The limit ${limit.resource}${limit.limit ? html` is ${count(limit.limit)}` : nothing}.</p>`;
  if (denied) return html`<p class="note">The action ${denied.action} is not allowed${denied.branch ? html` on ${denied.branch}` : nothing}.</p>`;
  return nothing;
}
