// A blob: its size and type by its first bytes; images are shown from memory, everything else is only saved.
import { html, nothing } from 'lit-html';
import { state, change, target } from '../store.js';
import * as api from '../api.js';
import { save } from './download.js';
import { value, count, visible } from './value.js';

const SHOWN_BYTES_MAX = 8 << 20;
const MAGIC = [['image/png', [0x89, 0x50, 0x4e, 0x47]], ['image/jpeg', [0xff, 0xd8, 0xff]], ['image/gif', [0x47, 0x49, 0x46, 0x38]], ['image/webp', [0x52, 0x49, 0x46, 0x46]], ['application/pdf', [0x25, 0x50, 0x44, 0x46]], ['application/zip', [0x50, 0x4b, 3, 4]]];
const typeOf = bytes => MAGIC.find(([, magic]) => magic.every((b, i) => bytes[i] === b))?.[0] ?? 'application/octet-stream';
const loaded = new WeakMap();

const request = (type, entity, p) => ({ entity: type.kind, type: type.name, id: entity['@id'], property: p.name, ...target() });

/** Where an external blob is: a browser does not tell the target of a redirect, but the last change of the entity has it. */
async function reference(type, entity, p) {
  const { changes } = await api.history(state.graph, { entity: type.kind, type: type.name, id: entity['@id'], ...target(), limit: 1 });
  return changes[0]?.after?.properties?.[p.name]?.blob?.uri;
}

/** Asks for the size first; a reference to other places is never followed. */
async function look(type, entity, p, mine) {
  try {
    const head = await api.blob(state.graph, 'HEAD', request(type, entity, p));
    const found = head.type === 'opaqueredirect' ? { external: true, uri: await reference(type, entity, p) } : head.status === 404 ? { none: true } : { size: Number(head.headers.get('Content-Length')) };
    if (!head.ok && found.size !== undefined) throw new Error(`the server answered ${head.status}`);
    if (found.size <= SHOWN_BYTES_MAX) {
      found.bytes = new Uint8Array(await (await api.blob(state.graph, 'GET', request(type, entity, p))).arrayBuffer());
      found.type = typeOf(found.bytes);
      if (found.type.startsWith('image/')) found.picture = URL.createObjectURL(new Blob([found.bytes], { type: found.type }));
    }
    change(() => Object.assign(mine, found));
  } catch (e) { change(() => { mine.error = e; }); }
}

async function download(type, entity, p, mine) {
  const blob = mine.bytes ? new Blob([mine.bytes]) : await (await api.blob(state.graph, 'GET', request(type, entity, p))).blob();
  save(`${entity['@id']}-${p.name}`.replace(/[^\w.-]+/g, '_'), 'application/octet-stream', blob);
}

/** Results hold no blobs: whether there is one is asked for when somebody wants to know. */
export function blobCell(type, entity, p) {
  let all = loaded.get(entity);
  if (!all) loaded.set(entity, all = {});
  const mine = all[p.name] ??= {};
  if (mine.error) return html`<span class="bad">${mine.error.message}</span>`;
  if (mine.none) return value(null);
  if (mine.external) return html`${mine.uri ? html`<code>${visible(mine.uri)}</code> ` : nothing}<span class="muted">a reference to bytes elsewhere, which the console does not fetch</span>`;
  if (mine.size === undefined) return html`<button @click=${() => look(type, entity, p, mine)}>Look</button>`;
  return html`<span>${count(mine.size)} bytes${mine.type ? ` · ${mine.type}` : nothing}</span> <button @click=${() => download(type, entity, p, mine)}>Save</button>
    ${mine.picture ? html`<img class="blob" src=${mine.picture} alt=${`${p.name} of ${entity['@id']}`}>` : nothing}`;
}
