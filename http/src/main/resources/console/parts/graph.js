// The picture of a result: its entities, their places (found by a worker), the keyboard. The table lists the same entities.
import { ref } from 'lit-html/directives/ref.js';
import { isNode, isEdge, isPath, labelOf, colourOf, plural } from './value.js';
import { picture } from './canvas.js';
import { connected } from './neighbours.js';

export const DRAWN_MAX = 2000;

/** The keys of an edge's ends: `Type/id`. Where an end may be of several types, the edge names the one that it is of. */
export function endsOf(edge, types) {
  const type = types.get(edge['@type']);
  return [`${edge['@src_type'] ?? type?.from}/${edge['@src']}`, `${edge['@dst_type'] ?? type?.to}/${edge['@dst']}`];
}

/** The distinct nodes and edges of a result, those of lists, records and paths too, and which edges are of a path; ends are drawn even where only their ids are known. */
export function elementsOf(result, types) {
  const nodes = new Map(), edges = new Map(), walked = new Set();
  const take = v => {
    if (v === null || typeof v !== 'object') return;
    if (isPath(v)) for (const e of v.edges) walked.add(`${e['@type']}/${e['@id']}`);
    if (isEdge(v)) edges.set(`${v['@type']}/${v['@id']}`, v);
    else if (isNode(v)) nodes.set(`${v['@type']}/${v['@id']}`, v);
    else Object.values(v).forEach(take);
  };
  for (const row of result.rows) for (const c of result.columns) take(row[c]);
  for (const e of edges.values())
    for (const key of endsOf(e, types)) if (!nodes.has(key)) nodes.set(key, { '@type': key.slice(0, key.indexOf('/')), '@id': key.slice(key.indexOf('/') + 1) });
  const all = nodes.size;
  for (const key of [...nodes.keys()].slice(DRAWN_MAX)) nodes.delete(key);
  return { nodes, edges, walked, all };
}

// A custom property as the colour that it is now: a canvas does not know light-dark().
const probe = document.body.appendChild(document.createElement('i'));
probe.hidden = true;
let known = new Map(), scheme = '';
export function theme(name) {
  const now = getComputedStyle(document.documentElement).colorScheme + matchMedia('(prefers-color-scheme: dark)').matches;
  if (now !== scheme) { scheme = now; known = new Map(); }
  if (!known.has(name)) { probe.style.color = `var(${name})`; known.set(name, getComputedStyle(probe).color); }
  return known.get(name);
}

const WORKER = new URL('../layout-worker.js', import.meta.url).href;
const policy = window.trustedTypes?.createPolicy('console', { createScriptURL: url => { if (url !== WORKER) throw new TypeError(url); return url; } }) ?? { createScriptURL: url => url };
let worker = null, asked = 0;

/** Calls moved(positions, done) once or more, until another picture is asked for. */
function place(count, links, aspect, moved) {
  worker ??= new Worker(policy.createScriptURL(WORKER));
  const id = ++asked;
  worker.onmessage = ({ data }) => { if (data.id === asked) moved(data); };
  worker.postMessage({ id, count, links, aspect });
}

/**
 * The place of a picture in a template, which draws again when it is given something else to draw.
 *
 * @param make draws into an element: `make(element, what)` gives the picture
 */
export function pictureHost(make) {
  let element = null, shown = null, of = null;
  // One function for all renderings: another one would make lit-html take the element away and give it again.
  const place = ref(e => { element = e ?? null; if (!e) { shown?.destroy(); shown = of = null; } });
  return {
    get picture() { return shown; },
    of(what) {
      // Elements get their size once the whole page is rendered.
      queueMicrotask(() => { if (element && of !== what) { of = what; requestAnimationFrame(() => { if (!element?.isConnected || of !== what) return; shown?.destroy(); shown = make(element, what); }); } });
      return place;
    },
  };
}

/** @param hooks `selected` is an entity that was selected in the picture before */
export function drawGraph(host, elements, types, { onSelect, onExpand, onPlaced, say, selected }) {
  const keys = [...elements.nodes.keys()], index = new Map(keys.map((k, i) => [k, i])), entities = [...elements.nodes.values()];
  const edges = [];
  for (const [key, entity] of elements.edges) {
    const [s, t] = endsOf(entity, types).map(key => index.get(key));
    if (s !== undefined && t !== undefined) edges.push({ s, t, entity, label: entity['@type'], dashed: connected.has(entity), walked: elements.walked?.has(key) });
  }
  const shown = picture(host, {
    nodes: entities.map(n => ({ label: labelOf(n), colour: colourOf(n['@type']) })), edges, colour: c => theme(`--c${c}`), theme,
    onSelect(node, edge) {
      const entity = node >= 0 ? entities[node] : edge >= 0 ? edges[edge].entity : null;
      onSelect(entity);
      if (entity) say(node >= 0 ? `${entity['@type']} ${labelOf(entity)}, ${plural(shown.around(node).length, 'edge')} in the picture` : `${entity['@type']} from ${entity['@src']} to ${entity['@dst']}`);
    },
    onExpand: node => onExpand(entities[node]),
  });
  place(entities.length, edges.map(e => [e.s, e.t]), host.clientWidth / Math.max(1, host.clientHeight), data => { shown.place(data.at); shown.millis = data.millis; onPlaced(data.done); });
  if (isNode(selected ?? null)) shown.select({ node: index.get(`${selected['@type']}/${selected['@id']}`) }, false);
  // Arrows go to the neighbour that lies most in that direction; without a selection, to the node with the most edges.
  host.onkeydown = e => {
    const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[e.key], on = shown.selected;
    if (step) {
      e.preventDefault();
      if (on < 0) shown.select({ node: shown.busiest() });
      else {
        const [px, py] = shown.position(on);
        const best = [...new Set(shown.around(on))].map(n => { const [qx, qy] = shown.position(n), d = Math.hypot(qx - px, qy - py) || 1; return { n, cos: ((qx - px) * step[0] + (qy - py) * step[1]) / d }; }).filter(b => b.cos > .3).sort((a, b) => b.cos - a.cos)[0];
        if (best) shown.select({ node: best.n }); else say('no neighbour in that direction');
      }
      const [sx, sy] = shown.screen(shown.selected);
      if (sx < 40 || sy < 40 || sx > host.clientWidth - 40 || sy > host.clientHeight - 40) shown.centre(shown.selected);
    } else if (e.key === '+' || e.key === '=') shown.zoom(1.25);
    else if (e.key === '-') shown.zoom(.8);
    else if (e.key === '0') shown.fit();
    else if (e.key === 'Escape') shown.select({});
    else if (e.key === 'Enter' && on >= 0) onExpand(entities[on]);
  };
  return shown;
}
