// One entity in a panel: all of its properties, and what can be done with it.
import { html, nothing } from 'lit-html';
import { state, address } from '../store.js';
import { whole, isNode, isEdge, labelOf, colourOf, visible, plural } from './value.js';
import { toJson } from '../api.js';
import { copy } from './download.js';

/** @param close shuts the panel; `more` is a template below the properties */
export function entityPanel(entity, close, more = nothing) {
  if (!entity) return html`<aside class="side empty-side" aria-label="Details"><p>Select a node or an edge to see all of it.</p></aside>`;
  if (!isEdge(entity) && !isNode(entity)) return html`<aside class="side" aria-label="Details"><header><span class="badge">${typeof entity === 'string' ? plural(entity.length, 'character') : plural(entity.length, 'item')}</span><span class="grow"></span><button class="quiet" @click=${() => copy(typeof entity === 'string' ? entity : toJson(entity), 'Value')}>Copy</button><button class="icon" aria-label="Close details" @click=${close}>×</button></header>${whole(entity)}</aside>`;
  const edge = isEdge(entity), keys = Object.keys(entity).filter(k => !k.startsWith('@'));
  const type = state.types.get(entity['@type']);
  return html`<aside class="side" aria-label="Details">
    <header><span class="badge ${edge ? '' : 'c' + colourOf(entity['@type'])}"><i></i>${entity['@type']}</span>${close ? html`<button class="icon" aria-label="Close details" @click=${close}>×</button>` : nothing}</header>
    <h3>${visible(edge ? `${entity['@src']} → ${entity['@dst']}` : String(labelOf(entity)))}</h3>
    <dl>
      <dt>@id</dt><dd><code>${visible(String(entity['@id']))}</code></dd>
      ${edge ? html`<dt>@src</dt><dd>${dataLink(entity['@src_type'] ?? type?.from, entity['@src'])}</dd><dt>@dst</dt><dd>${dataLink(entity['@dst_type'] ?? type?.to, entity['@dst'])}</dd>` : nothing}
      ${keys.map(k => html`<dt>${visible(k)}</dt><dd>${whole(entity[k])}</dd>`)}
      ${edge || keys.length ? nothing : (type?.properties ?? []).map(p => html`<dt>${p.name}</dt><dd><span class="null">not loaded</span></dd>`)}
    </dl>
    ${more}
  </aside>`;
}

/** A link to a record on the page Data. */
export const dataLink = (type, id) => html`<a href=${address({ page: 'data', link: { type, id: String(id) } })}>${visible(String(id))}</a>`;
