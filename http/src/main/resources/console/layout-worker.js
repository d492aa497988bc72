// Places the nodes of a picture, off the page's thread. A classic worker: import maps do not reach workers, and these files are UMD.
// d3-force gets no random numbers here: the same result is always the same picture.
const LIBRARIES = ['dispatch', 'quadtree', 'timer', 'force'].map(l => new URL(`lib/d3-${l}/dist/d3-${l}.min.js`, self.location.href).href);
const policy = self.trustedTypes?.createPolicy('console', { createScriptURL: url => { if (!LIBRARIES.includes(url)) throw new TypeError(url); return url; } }) ?? { createScriptURL: url => url };
importScripts(...LIBRARIES.map(l => policy.createScriptURL(l)));

// Many nodes are shown roughly after these steps, or after this time where that comes first.
const TICKS_SHOWN = 40, MILLIS_SHOWN = 400, MILLIS_MAX = 4000;

onmessage = ({ data: { id, count, links: pairs, aspect } }) => {
  const start = performance.now(), many = count > 300;
  const points = Array.from({ length: count }, () => ({}));
  const links = pairs.map(([source, target]) => ({ source, target }));
  const pull = many ? .035 : .06;
  const simulation = d3.forceSimulation(points).stop()
    .force('link', d3.forceLink(links).distance(many ? 46 : 105).iterations(many ? 1 : 2))
    .force('charge', d3.forceManyBody().strength(many ? -110 : -620).distanceMax(many ? 900 : 1400).theta(many ? 1.1 : .9))
    .force('x', d3.forceX().strength(pull / Math.max(1, aspect)))
    .force('y', d3.forceY().strength(pull * Math.max(1, aspect)))
    .force('collide', d3.forceCollide(many ? 15 : 44).iterations(many ? 1 : 2));
  const ticks = many ? 220 : 320;
  simulation.alphaDecay(1 - Math.pow(.001, 1 / ticks));
  const send = done => { const at = new Float32Array(points.length * 2); points.forEach((p, i) => { at[2 * i] = p.x; at[2 * i + 1] = p.y; }); postMessage({ id, at, done, millis: performance.now() - start }, [at.buffer]); };
  for (let i = 1, shown = !many; i <= ticks; i++) {
    simulation.tick();
    const millis = performance.now() - start;
    if (!shown && (i === TICKS_SHOWN || millis > MILLIS_SHOWN)) { shown = true; send(false); }
    if (millis > MILLIS_MAX) break;
  }
  send(true);
};
