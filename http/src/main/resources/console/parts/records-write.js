// Edit, delete and import of records. Each is one commit, after one dialog.
import { html, nothing } from 'lit-html';
import { state, change } from '../store.js';
import * as api from '../api.js';
import { ask } from './dialog.js';
import { confirmWrite } from './write.js';
import { count, visible, valueText } from './value.js';

/** The fields of a record that differ from what is stored, as parameters of one update. */
function statement(type, entity, texts) {
  const changed = type.properties.filter(p => texts[p.name] !== undefined && texts[p.name] !== valueText(entity[p.name]));
  const params = { id: entity['@id'] }, declared = ['$id: String'], sets = [];
  for (const p of changed) {
    const text = texts[p.name];
    declared.push(`$${p.name}: ${p.type}${p.nullable ? '?' : ''}`);
    sets.push(`${p.name}: $${p.name}`);
    params[p.name] = text === '' && p.nullable ? null : p.kind === 'bool' ? text === 'true' : p.kind === 'int' || p.kind === 'float' ? Number(text) : p.kind === 'list' || p.kind === 'vector' ? api.parseJson(text) : text;
  }
  return { count: changed.length, params, query: `query edit(${declared.join(', ')}) {\n  update ${type.name} set { ${sets.join(', ')} } where @id = $id\n}` };
}

export function editRecord(type, entity) {
  const texts = {}, plain = type.properties.filter(p => p.kind !== 'blob' && !p.key);
  const input = p => {
    const now = texts[p.name] ?? valueText(entity[p.name]), set = e => { texts[p.name] = e.target.value; change(); };
    const options = p.values ?? (p.kind === 'bool' ? ['true', 'false'] : null);
    return html`<label class="field"><span>${p.name} <small>${p.type}${p.nullable ? '?' : ''}</small></span>${options ? html`<select @change=${set}>${p.nullable ? html`<option value="" ?selected=${now === ''}>null</option>` : nothing}${options.map(o => html`<option ?selected=${o === now}>${o}</option>`)}</select>` : html`<input .value=${now} placeholder=${p.nullable ? 'null' : ''} type=${p.kind === 'date' ? 'date' : 'text'} @input=${set} spellcheck="false">`}</label>`;
  };
  /** The statement so far; nothing while a field holds no JSON. */
  const preview = () => { try { const s = statement(type, entity, texts); return s.count ? html`<pre class="statement" tabindex="0">${s.query}</pre>` : nothing; } catch { return nothing; } };
  confirmWrite({
    title: `Edit ${type.name} ${visible(String(entity['@id']))}`,
    body: () => html`${plain.map(input)}${plain.length ? nothing : html`<p class="muted">This type has no property that can be edited.</p>`}${preview()}`,
    run(branch, more, head) {
      const s = statement(type, entity, texts);
      if (!s.count) throw new Error('Nothing differs from what is stored.');
      return api.mutate(state.graph, { query: s.query, params: s.params, branch, ...more }, head);
    },
  });
}

export function deleteRecord(type, entity) {
  const query = `query remove($id: String) {\n  delete ${type.name} where @id = $id\n}`;
  confirmWrite({
    title: `Delete ${type.name} ${visible(String(entity['@id']))}`, danger: true, statement: query,
    body: type.kind === 'node' ? html`<p>Its edges are deleted with it.</p>` : nothing,
    run: (branch, more, head) => api.mutate(state.graph, { query, params: { id: entity['@id'] }, branch, ...more }, head),
    done: () => { const at = location.hash.replace(/([?&])id=[^&]*/, '$1'); history.replaceState(null, '', at); },
  });
}

export function importLines() {
  const mine = { mode: 'merge', file: null, message: '' };
  const d = {
    title: 'Import NDJSON', action: `Load into ${state.branch} of ${state.graph}`, wide: true,
    ready: () => !!mine.file,
    body: () => html`<p class="muted">One record a line: <code>{"type":"Person","data":{…}}</code> or <code>{"edge":"Knows","from":"…","to":"…","data":{…}}</code>. The whole file is one commit.</p>
      <label class="field"><span>File</span><input type="file" accept=".ndjson,.jsonl,.json,.txt" @change=${e => { mine.file = e.target.files[0] ?? null; change(); }}></label>
      <label class="field"><span>Mode</span><select @change=${e => { mine.mode = e.target.value; d.type = mine.mode === 'overwrite' ? state.branch : null; state.dialog.type = d.type; change(); }}>${[['merge', 'merge: update what exists'], ['append', 'append: refuse what exists'], ['overwrite', 'overwrite: replace all records']].map(([m, t]) => html`<option value=${m}>${t}</option>`)}</select></label>
      ${mine.file ? html`<p>${mine.file.name}, ${count(mine.file.size)} bytes</p>` : nothing}`,
    async run() {
      const answer = await api.load(state.graph, { branch: state.branch, mode: mine.mode }, mine.file);
      return () => { ask({ title: 'Loaded', body: () => html`<p>${count(answer.inserted)} inserted, ${count(answer.updated)} updated, ${count(answer.deleted)} deleted, ${count(answer.unchanged)} unchanged.</p>` }); dispatchEvent(new Event('refreshplace')); };
    },
  };
  ask(d);
}
