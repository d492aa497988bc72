import { ConnectionFailed, ServiceError, StreamBroken } from "./errors.js";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** The 64-bit integers of values as strings, since a number of JavaScript has 53 bits. */
const ACCEPT = "application/json;int64=string";
const ACCEPT_LINES = "application/x-ndjson;int64=string, application/json;int64=string";

export interface ClientOptions {
  /** The bearer token. */
  token?: string;
  /** How long one request may take until its answer has come; 60 seconds. A stream has no such bound. */
  timeoutMs?: number;
  /** How long a request is repeated after a lost answer, 429 or 503; 30 seconds. */
  retrySeconds?: number;
  /** The `fetch` to use. */
  fetch?: typeof fetch;
}

export type Parameters = { [name: string]: string | number | boolean | string[] | undefined };

export interface Call {
  params?: Parameters;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as lines of NDJSON in the place of a body. */
  lines?: string;
  headers?: { [name: string]: string };
  /** Whether a request whose answer was lost may be sent again: it is a read, or has a key. True without it. */
  repeat?: boolean;
  signal?: AbortSignal | undefined;
}

/** Sends requests to one server, and repeats those that may be repeated. */
export class Transport {
  private readonly base: string;
  private readonly headers: { [name: string]: string };
  private readonly timeoutMs: number;
  private readonly retryMs: number;
  private readonly fetch: typeof fetch;

  constructor(url: string, options: ClientOptions) {
    if (!/^https?:\/\//.test(url) && !("location" in globalThis)) {
      throw new TypeError(`the address of a server begins with http:// or https://, not ${JSON.stringify(url)}`);
    }
    this.base = url.replace(/\/+$/, "");
    this.headers = options.token === undefined ? {} : { Authorization: `Bearer ${options.token}` };
    this.timeoutMs = options.timeoutMs ?? 60_000;
    this.retryMs = 1_000 * (options.retrySeconds ?? 30);
    this.fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  /** The JSON of the answer. */
  async call<T>(method: string, path: string, call: Call = {}): Promise<T> {
    const deadline = performance.now() + this.retryMs;
    let pause = FIRST_PAUSE_MS;
    for (;;) {
      let wait = pause;
      const answer = await this.attempt(method, path, call);
      if ("lost" in answer) {
        if (call.repeat === false || performance.now() + wait > deadline) {
          throw new ConnectionFailed(`${method} ${path}: ${reasonOf(answer.lost)}`, { cause: answer.lost });
        }
      } else if (answer.status < 300) {
        return JSON.parse(answer.text) as T;
      } else {
        const refusal = refusalOf(answer.status, answer.text, answer.retryAfter);
        wait = Math.max(pause, 1_000 * (refusal.retryAfter ?? 0));
        if (refusal.retryAfter === undefined || performance.now() + wait > deadline) throw refusal;
      }
      await sleep(wait * (1 + Math.random() / 4), call.signal);
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
    }
  }

  /** One attempt with its whole answer; an end by the caller's signal is thrown. */
  private async attempt(
    method: string,
    path: string,
    call: Call,
  ): Promise<{ status: number; text: string; retryAfter: string | null } | { lost: unknown }> {
    const timeout = AbortSignal.timeout(this.timeoutMs);
    const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal]);
    try {
      const answer = await this.send(method, path, call, ACCEPT, signal);
      return { status: answer.status, text: await answer.text(), retryAfter: answer.headers.get("Retry-After") };
    } catch (lost) {
      call.signal?.throwIfAborted();
      return { lost };
    }
  }

  /** The lines of a streamed answer, each as JSON. Leaving the loop ends the request. */
  async *lines<T>(path: string, body: unknown, signal?: AbortSignal): AsyncGenerator<T> {
    const left = new AbortController();
    const either = signal === undefined ? left.signal : AbortSignal.any([left.signal, signal]);
    try {
      const answer = await this.send("POST", path, { body }, ACCEPT_LINES, either);
      if (!answer.ok) throw refusalOf(answer.status, await answer.text(), answer.headers.get("Retry-After"));
      const decoder = new TextDecoder();
      const parts: string[] = [];
      for await (const bytes of pieces(answer)) {
        const pieces = decoder.decode(bytes, { stream: true }).split("\n");
        for (let i = 0; i < pieces.length - 1; i++) {
          const line = parts.join("") + pieces[i];
          parts.length = 0;
          if (line !== "") yield JSON.parse(line) as T;
        }
        parts.push(pieces[pieces.length - 1] ?? "");
      }
      if (parts.join("") !== "") throw new StreamBroken(`POST ${path}: the stream ended inside a line`);
    } catch (lost) {
      signal?.throwIfAborted();
      // `fetch` throws a TypeError for a connection that is cut.
      if (lost instanceof TypeError) {
        throw new StreamBroken(`POST ${path}: the stream ended before its end: ${reasonOf(lost)}`, { cause: lost });
      }
      throw lost;
    } finally {
      left.abort();
    }
  }

  private send(method: string, path: string, call: Call, accept: string, signal: AbortSignal): Promise<Response> {
    const url = new URL(this.base + path);
    for (const [name, value] of Object.entries(call.params ?? {})) {
      for (const each of Array.isArray(value) ? value : value === undefined ? [] : [value]) {
        url.searchParams.append(name, String(each));
      }
    }
    const type = call.lines === undefined ? "application/json" : "application/x-ndjson";
    const body = call.lines ?? (call.body === undefined ? undefined : encode(call.body));
    return this.fetch(url, {
      method,
      headers: { ...this.headers, Accept: accept, "Content-Type": type, ...call.headers },
      redirect: "error",
      signal,
      ...(body === undefined ? {} : { body }),
    });
  }
}

/** The value as JSON: a `bigint` as a string of its digits, a `Date` in ISO 8601, bytes as a Blob. */
export function encode(value: unknown): string {
  return JSON.stringify(value, function (this: { [key: string]: unknown }, key, written: unknown) {
    const each = this[key]; // a Buffer writes itself as an object before this is asked
    if (typeof each === "bigint") return each.toString();
    if (typeof each === "number" && !Number.isFinite(each)) throw new TypeError(`${each} is no value of a graph`);
    if (each instanceof Uint8Array) return "base64:" + base64(each);
    return written;
  });
}

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (const each of bytes) binary += String.fromCharCode(each);
  return btoa(binary);
}

async function* pieces(answer: Response): AsyncGenerator<Uint8Array> {
  if (answer.body === null) return;
  const reader = answer.body.getReader();
  for (;;) {
    const piece = await reader.read();
    if (piece.done) return;
    yield piece.value;
  }
}

function refusalOf(status: number, text: string, retryAfter: string | null): ServiceError {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined; // an answer of a proxy
  }
  const known = typeof body === "object" && body !== null && "code" in body;
  const seconds = (status === 429 || status === 503) && /^\d+$/.test(retryAfter ?? "") ? Number(retryAfter) : undefined;
  return new ServiceError(
    status,
    known
      ? (body as { [member: string]: unknown })
      : { error: `HTTP status ${status} without an error of the server: ${text.slice(0, 200)}` },
    seconds,
  );
}

function reasonOf(lost: unknown): string {
  if (!(lost instanceof Error)) return String(lost);
  return lost.cause instanceof Error ? `${lost.message}: ${lost.cause.message}` : lost.message;
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}
