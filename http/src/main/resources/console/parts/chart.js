// Small charts in SVG. Their numbers stand in a text, too.
import { html, svg } from 'lit-html';

/** Bars of numbers, oldest first. */
export function bars(values, what, high = 34) {
  const most = Math.max(1, ...values), wide = 8, all = values.reduce((a, b) => a + b, 0);
  return html`<figure class="chart"><svg viewBox="0 0 ${values.length * wide} ${high}" preserveAspectRatio="none" role="img" aria-label="${all} ${what}">
    ${values.map((v, i) => { const h = v ? Math.max(2, v / most * (high - 2)) : 1; return svg`<rect class=${v ? 'bar-on' : 'bar-off'} x=${i * wide + 1} y=${high - h} width=${wide - 2} height=${h} rx="1"/>`; })}
  </svg><figcaption>${all} ${what}</figcaption></figure>`;
}

/** A line of numbers, oldest first; gaps are null. */
export function line(values, what, high = 60) {
  const most = Math.max(1, ...values.filter(v => v !== null)), wide = 240, step = wide / Math.max(1, values.length - 1);
  let d = '', pen = 'M';
  values.forEach((v, i) => { if (v === null) { pen = 'M'; return; } d += `${pen}${(i * step).toFixed(1)} ${(high - 3 - v / most * (high - 6)).toFixed(1)}`; pen = 'L'; });
  return html`<svg class="line-chart" viewBox="0 0 ${wide} ${high}" preserveAspectRatio="none" role="img" aria-label=${what}><path d=${d}/></svg>`;
}
