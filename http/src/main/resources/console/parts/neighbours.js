// What lies around an entity: its edges by type and direction, with their number.
import * as api from '../api.js';
import { edgesAt, edgesOf, inPattern } from '../types.js';

export const EXPANDED = 25;
/** The edges that were loaded to connect the nodes of a result. */
export const connected = new WeakSet();

const pattern = (type, { edge, direction }) =>
  direction === 'out' ? `$r: ${type}  $r.@id = $id  $r $e:${inPattern(edge.name)} $o` : `$r: ${type}  $r.@id = $id  $o $e:${inPattern(edge.name)} $r`;

/** For each edge type and direction at a node: `{ edge, direction, count }`, those with edges first. */
export async function counts(graph, place, types, node) {
  const sides = edgesAt(types, node['@type']);
  const found = await Promise.all(sides.map(async side => {
    const { rows } = await api.query(graph, place, `query n($id: String) { match { ${pattern(node['@type'], side)} } return { count($e) as n } }`, { params: { id: node['@id'] } });
    return { ...side, count: Number(rows[0]?.n ?? 0) };
  }));
  return found.sort((a, b) => Math.sign(b.count) - Math.sign(a.count) || a.edge.name.localeCompare(b.edge.name));
}

/** The edges of one type and direction, with the nodes at their other ends, from a place on. */
export async function along(graph, place, node, side, most = EXPANDED, skip = 0) {
  const text = `query along($id: String, $most: I32, $past: I32) { match { ${pattern(node['@type'], side)} } return { $e, $o } order { $e.@id } skip $past limit $most }`;
  return (await api.query(graph, place, text, { params: { id: node['@id'], most, past: skip } })).rows.map(r => ({ edge: r.e, other: r.o }));
}

/** At most 25 edges of each type and direction: entities for a picture, and what was left out. */
export async function around(graph, place, types, node) {
  const entities = [], left = [];
  for (const side of (await counts(graph, place, types, node)).filter(s => s.count)) {
    for (const { edge, other } of await along(graph, place, node, side)) entities.push(edge, other);
    if (side.count > EXPANDED) left.push(`${EXPANDED} of ${side.count} ${side.edge.name} (${side.direction})`);
  }
  return { entities, left };
}

/** The edges among given nodes, which a query returned without them. */
export async function among(graph, place, types, nodes, most = 2000) {
  const ids = new Map(), entities = [];
  for (const n of nodes) { const l = ids.get(n['@type']); if (l) l.push(n['@id']); else ids.set(n['@type'], [n['@id']]); }
  for (const edge of edgesOf(types)) for (const from of edge.fromTypes) for (const to of edge.toTypes) {
    if (!ids.has(from) || !ids.has(to) || entities.length >= most) continue;
    const text = `query among($from: [String], $to: [String], $most: I32) { match { $a: ${from}  $a.@id in $from  $a $e:${inPattern(edge.name)} $b  $b: ${to}  $b.@id in $to } return { $e } limit $most }`;
    entities.push(...(await api.query(graph, place, text, { params: { from: ids.get(from), to: ids.get(to), most: most - entities.length } })).rows.map(r => r.e));
    // They are drawn dashed: the query has not returned them.
    for (const e of entities) connected.add(e);
  }
  return entities;
}
