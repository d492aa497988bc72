// Keys that hold on every page. Single keys act outside of fields only, and can be switched off.
import { html } from 'lit-html';
import { state, change } from './store.js';
import { PAGES } from './pages.js';
import { ask } from './parts/dialog.js';

const on = () => localStorage.getItem('keys') !== 'off';
const field = e => e.composedPath().some(n => n.matches?.('input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable=true], dialog'));
let went = 0;
const GO_MILLIS = 1500;

const LIST = [
  ['?', 'this list'], ['g then a letter', 'go to a page'], ['/', 'filter'], ['[ and ]', 'one commit back, forward'], ['Esc', 'close'],
  ['Ctrl Enter', 'run the query'], ['F6', 'from the editor to the parameters, to the result'], ['j k, arrows', 'move in a list or a picture'], ['n p', 'next, previous conflict of a merge'], ['Enter', 'open'],
];

function showKeys() {
  ask({
    title: 'Keys',
    body: () => html`<dl class="keys">${LIST.map(([key, text]) => html`<dt><kbd>${key}</kbd></dt><dd>${text}</dd>`)}${PAGES.map(p => html`<dt><kbd>g ${p.key}</kbd></dt><dd>${p.name}</dd>`)}</dl>
      <label class="check"><input type="checkbox" .checked=${on()} @change=${e => { localStorage.setItem('keys', e.target.checked ? 'on' : 'off'); change(); }}> Single keys are on</label>`,
  });
}

/** @param app `page()`, the module that is shown; `go(over)`; `step(by)` in time */
export function listen(app) {
  addEventListener('showkeys', showKeys);
  addEventListener('keydown', e => {
    if (e.key === 'F6' && app.page()?.cycle) { e.preventDefault(); app.page().cycle(e.shiftKey); return; }
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || state.dialog || state.signIn || field(e) || !on()) return;
    const after = performance.now() - went < GO_MILLIS;
    went = 0;
    if (after) {
      const to = PAGES.find(p => p.key === e.key);
      if (to) { e.preventDefault(); if (to.id === 'home') location.hash = '#/'; else if (state.graph || to.graph === false) app.go({ page: to.id }); return; }
    }
    if (e.key === 'g') went = performance.now();
    else if (e.key === '?') { e.preventDefault(); showKeys(); }
    else if (e.key === '/') { const filter = document.querySelector('[data-filter]'); if (filter) { e.preventDefault(); filter.focus(); } }
    else if (e.key === '[' || e.key === ']') { e.preventDefault(); app.step(e.key === '[' ? -1 : 1); }
    else app.page()?.key?.(e);
  });
}
