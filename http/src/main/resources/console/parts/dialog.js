// Dialogs. The browser keeps the focus inside and gives it back; it starts on Cancel.
import { html, nothing } from 'lit-html';
import { ref } from 'lit-html/directives/ref.js';
import { state, change } from '../store.js';
import { refused } from './states.js';

// A part is rendered before it stands in the document.
const show = ref(element => { if (element) queueMicrotask(() => { if (element.isConnected && !element.open) element.showModal(); }); });

/**
 * Opens a dialog: `title`, `body()` gives a template, `action` is the words of its button and `run()` its effect, after
 * which it closes. `danger` colours it; `type` is a name that has to be typed first; `wide` makes room; `instead` is another
 * way, `{ action, run, denied }`, offered beside.
 */
export function ask(dialog) { change(s => { s.dialog = { typed: '', error: null, busy: false, ...dialog }; }); }

export function close() { change(s => { s.dialog = null; }); }

async function confirm(d, run = d.run) {
  change(() => { d.busy = true; d.error = null; });
  try {
    const next = await run();
    if (state.dialog === d) close();
    next?.();
  } catch (e) { change(() => { d.busy = false; d.error = e; }); }
}

export function dialog() {
  const d = state.dialog;
  if (!d) return nothing;
  const locked = d.busy || (d.type && d.typed !== d.type) || d.ready?.() === false;
  return html`<dialog class=${d.wide ? 'wide' : ''} aria-labelledby="dialog-title" ${show} @close=${close} @cancel=${close}>
    <form method="dialog" @submit=${e => { e.preventDefault(); if (!locked && d.action) confirm(d); }}>
      <h2 id="dialog-title">${d.title}</h2>
      <div class="dialog-body">${d.body?.() ?? nothing}
        ${d.type ? html`<label class="field"><span>Type <b>${d.type}</b> to confirm</span><input autocomplete="off" spellcheck="false" .value=${d.typed} @input=${e => change(() => { d.typed = e.target.value; })}></label>` : nothing}
        ${d.error ? refused(d.error) : nothing}</div>
      <div class="dialog-foot">${d.instead ? html`<button type="button" class="quiet" ?disabled=${locked || !!d.instead.denied} title=${d.instead.denied ?? nothing} @click=${() => confirm(d, d.instead.run)}>${d.instead.action}</button><span class="grow"></span>` : nothing}<button type="button" autofocus @click=${close}>${d.action ? 'Cancel' : 'Close'}</button>
        ${d.action ? html`<button type="submit" class=${d.danger ? 'danger' : 'primary'} ?disabled=${locked}>${d.busy ? html`<span class="spin"></span>` : nothing}${d.action}</button>` : nothing}</div>
    </form></dialog>`;
}
