// Server-sent events from a fetch body: EventSource cannot send a token. `api.send` makes the request.
import { send, Refusal, parseJson } from './api.js';

/**
 * Reads events until the stream ends or is aborted. `event({ name, id, data })` is told of each; `data` is parsed JSON.
 * A refusal of the request is thrown; an event `error` is thrown as the Refusal that it carries.
 */
export async function events(path, { signal, lastId, event }) {
  const response = await send('GET', path, { accept: 'text/event-stream', signal, headers: lastId ? { 'Last-Event-ID': lastId } : {} });
  if (!response.ok) {
    const text = await response.text();
    let body = null;
    try { body = parseJson(text); } catch { /* the status says enough */ }
    throw new Refusal(response.status, body, response.headers);
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop();
    for (const part of parts) {
      const found = { name: 'message', id: null, data: '' };
      for (const line of part.split('\n')) {
        if (line.startsWith('event: ')) found.name = line.slice(7);
        else if (line.startsWith('id: ')) found.id = line.slice(4);
        else if (line.startsWith('data: ')) found.data += line.slice(6);
      }
      if (!found.data) continue;
      const data = parseJson(found.data);
      if (found.name === 'error') throw new Refusal(data.code === 'change_feed_gap' ? 410 : 500, data, null);
      event({ ...found, data });
    }
  }
}
