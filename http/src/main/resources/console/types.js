// The types of a graph, as GET /catalog tells them, by name.
export function readCatalog(catalog) {
  const types = new Map(), searched = p => { const a = p.annotations?.find(x => x.name === 'search'); return a ? a.argument ?? true : null; }, described = type => type.annotations?.find(a => a.name === 'description')?.argument?.replace(/^"|"$/g, '');
  const shared = (type, kind) => {
    const key = new Set(type.key ?? []), indexed = new Set((type.indexes ?? []).map(i => i.members[0])), unique = new Set((type.indexes ?? []).filter(i => i.unique && i.members.length === 1).map(i => i.members[0]));
    const properties = type.properties.map(p => ({ ...p, key: key.has(p.name), index: indexed.has(p.name), unique: unique.has(p.name), description: described(p), search: searched(p) }));
    return { kind, name: type.name, properties, key: type.key ?? [], indexes: type.indexes ?? [], constraints: type.constraints ?? [], description: described(type) };
  };
  for (const node of catalog.nodes) types.set(node.name, { ...shared(node, 'node'), interfaces: node.interfaces });
  for (const edge of catalog.edges)
    types.set(edge.name, { ...shared(edge, 'edge'), from: edge.from.types[0], to: edge.to.types[0], fromTypes: edge.from.types, toTypes: edge.to.types, fromText: edge.from.declared, toText: edge.to.declared, cardinality: edge.cardinality });
  for (const type of catalog.interfaces) types.set(type.name, { ...shared(type, 'interface'), implementers: type.implementers });
  return types;
}

export const nodesOf = types => [...types.values()].filter(t => t.kind === 'node');
export const edgesOf = types => [...types.values()].filter(t => t.kind === 'edge');

/** The name of an edge type in a pattern of GQ. */
export const inPattern = name => name[0].toLowerCase() + name.slice(1);

/** The edge types that leave (`out`) or reach (`in`) nodes of a type, with the direction. */
export function edgesAt(types, name) {
  const found = [];
  for (const edge of edgesOf(types)) {
    if (edge.fromTypes.includes(name)) found.push({ edge, direction: 'out' });
    if (edge.toTypes.includes(name)) found.push({ edge, direction: 'in' });
  }
  return found;
}
