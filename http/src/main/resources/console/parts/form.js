// Parameters of a query, as POST /lint and GET /queries describe them: a form, and the values that it holds.
import { html, nothing } from 'lit-html';
import { parseJson } from '../api.js';

/** What a request sends: texts of the form by parameter as values of their kinds. Empty ones are left out. */
export function argumentsOf(params, texts) {
  const given = {};
  for (const p of params) {
    const text = texts[p.name];
    if (text === undefined || text === '') continue;
    given[p.name] = valueOf(p, text);
  }
  return given;
}

function valueOf(p, text) {
  switch (p.kind) {
    case 'bool': return text === 'true';
    case 'int': case 'float': return Number.isNaN(Number(text)) ? text : Number(text);
    // As digits, which the server takes: a double would lose the last ones.
    case 'bigint': return text.trim();
    case 'list': case 'vector': try { return parseJson(text); } catch { throw new Error(`$${p.name} is not JSON: write ${p.kind === 'vector' ? '[0.1, 0.2]' : '["a", "b"]'}`); }
    default: return text;
  }
}

export const typeText = p => p.kind === 'list' ? `[${p.item_kind}]` : p.kind === 'vector' ? `vector(${p.vector_dim})` : p.values ? 'enum' : p.kind;

/** @param texts what was typed, by name; `typed(name, text)` is told of changes */
export function form(title, params, texts, typed) {
  if (!params.length) return nothing;
  return html`<fieldset class="params"><legend>${title}</legend>
    ${params.map(p => {
      const set = e => typed(p.name, e.target.value), now = texts[p.name] ?? '';
      const hint = p.default !== undefined ? (typeof p.default === 'string' ? p.default : JSON.stringify(p.default)) : p.nullable ? 'null' : '';
      const options = p.values ?? (p.kind === 'bool' ? ['true', 'false'] : null);
      const field = options ? html`<select @change=${set}><option value="" ?selected=${now === ''}>${hint}</option>${options.map(o => html`<option value=${o} ?selected=${o === now}>${o}</option>`)}</select>`
        : html`<input @input=${set} .value=${now} placeholder=${hint} type=${p.kind === 'date' ? 'date' : 'text'} inputmode=${/int/.test(p.kind) ? 'numeric' : 'text'} ?required=${!p.nullable && p.default === undefined} spellcheck="false" autocomplete="off">`;
      return html`<label><span>$${p.name} <small>${typeText(p)}${p.nullable ? '?' : ''}</small></span>${field}</label>`;
    })}</fieldset>`;
}
