// What the console knows of GQ: colours, the header of a query, completion. It never decides anything: the server does.
import { inPattern as lower } from './types.js';

/** The parameters that the header of the first query declares. */
export function readHeader(text) {
  const m = /\bquery\s+([a-z_]\w*)\s*\(([^]*?)\)\s*(?:@\w+\([^)]*\)\s*)*\{\s*(match|insert|update|delete)?/.exec(text);
  if (!m) return null;
  const params = [...m[2].matchAll(/\$(\w+)\s*:\s*(enum\([^)]*\)|\[[^\]]*\]|Vector\(\d+\)|\w+)(\?)?(?:\s*=\s*("[^"]*"|[^,)\s]+))?/g)]
    .map(([, name, type, nullable, preset]) => ({ name, type, nullable: !!nullable, preset }));
  return { name: m[1], params, mutation: !!m[3] && m[3] !== 'match' };
}

const KEYWORDS = /^(query|match|with|return|order|skip|limit|optional|not|exists|count|sum|avg|min|max|collect|distinct|union|all|any|none|case|when|then|else|end|as|asc|desc|and|or|in|is|null|true|false|contains|starts_with|ends_with|matches|insert|update|delete|set|where|for|each|branch|show|list|explain|analyze|from|to)\b/;

export const mode = {
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^\/\/.*/)) return 'comment';
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return 'string';
    if (stream.match(/^-?\d+(\.\d+)?([eE][+-]?\d+)?/)) return 'number';
    if (stream.match(/^\$\w+/)) return 'variableName';
    if (stream.match(/^@\w+/)) return 'meta';
    if (stream.match(KEYWORDS)) return 'keyword';
    if (stream.match(/^[A-Z]\w*/)) return 'typeName';
    if (stream.match(/^\w+/)) return 'propertyName';
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: '//' }, closeBrackets: { brackets: ['(', '[', '{', '"'] } },
};

/** Types of the variables, as far as the text says them. */
function variables(text, types) {
  const found = new Map();
  for (const [, v, t] of text.matchAll(/\$(\w+)\s*:\s*([A-Z]\w*)/g)) if (types.has(t)) found.set(v, t);
  const edges = new Map([...types.values()].filter(t => t.kind === 'edge').map(t => [lower(t.name), t]));
  for (let i = 0; i < 2; i++)
    for (const [, a, w, e, b] of text.matchAll(/\$(\w+)\s+(?:\$(\w+):)?<?([a-z]\w*)>?(?:\{\d+,\d*\})?\s+\$(\w+)/g)) {
      const edge = edges.get(e);
      if (!edge) continue;
      if (!found.has(a)) found.set(a, edge.from);
      if (!found.has(b)) found.set(b, edge.to);
      if (w) found.set(w, edge.name);
    }
  return found;
}

export const complete = types => context => {
  const before = context.state.sliceDoc(Math.max(0, context.pos - 400), context.pos), text = context.state.doc.toString();
  const property = p => ({ label: p.name, type: 'property', detail: p.type + (p.nullable ? '?' : '') + (p.key ? '  key' : ''), boost: p.key ? 2 : 1 });
  let m = /\$(\w+)\.(@?\w*)$/.exec(before);
  if (m) {
    const type = types.get(variables(text, types).get(m[1]));
    const ids = ['@id', '@type', ...(type?.kind === 'edge' ? ['@src', '@dst'] : [])].map(label => ({ label, type: 'keyword' }));
    return { from: context.pos - m[2].length, options: [...(type?.properties.map(property) ?? []), ...ids] };
  }
  m = /:\s*([A-Z]\w*)?$/.exec(before);
  if (m) return { from: context.pos - (m[1]?.length ?? 0), options: [...types.values()].filter(t => t.kind !== 'edge').map(t => ({ label: t.name, type: 'type', detail: t.kind, info: t.description })) };
  m = /([A-Z]\w*)\s*\{[^{}]*?(?:^|[\s,{])(\w*)$/.exec(before);
  if (m && types.has(m[1])) return { from: context.pos - m[2].length, options: types.get(m[1]).properties.map(property) };
  m = /\$(\w+)\s+<?(\w*)$/.exec(before);
  if (m) {
    const type = variables(text, types).get(m[1]);
    const edges = [...types.values()].filter(t => t.kind === 'edge').map(t => ({ label: lower(t.name), type: 'function', detail: `${t.fromText} → ${t.toText}`, info: t.description, boost: t.fromTypes.includes(type) ? 3 : 0 }));
    return { from: context.pos - m[2].length, options: edges };
  }
  m = /\$(\w*)$/.exec(before);
  if (m) return { from: context.pos - m[0].length, options: [...new Set([...text.matchAll(/\$\w+/g)].map(v => v[0]))].filter(v => v !== m[0]).map(label => ({ label, type: 'variable', detail: variables(text, types).get(label.slice(1)) })) };
  const word = context.matchBefore(/\w+$/);
  if (!word && !context.explicit) return null;
  return { from: word?.from ?? context.pos, options: ['query', 'match', 'return', 'order', 'limit', 'skip', 'optional', 'not', 'exists', 'count', 'collect', 'distinct', 'explain', 'explain analyze', 'insert', 'update', 'delete'].map(label => ({ label, type: 'keyword' })) };
};
