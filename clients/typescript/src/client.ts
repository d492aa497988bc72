import { type Cursor, MemoryCursor } from "./cursors.js";
import { StreamBroken } from "./errors.js";
import type * as models from "./models.js";
import { type Row, Rows } from "./rows.js";
import { type Call, type ClientOptions, encode, type Parameters, Transport } from "./transport.js";

const LONG_POLL_SECONDS = 20;
const BATCH_RECORDS = 100_000;

/** Values of parameters, and records of a load. `bigint`, `Date` and `Uint8Array` are written as the server takes them. */
export type Values = { [name: string]: unknown };

type Target = { branch?: string; snapshot?: string; as_of?: string };

export interface WriteOptions {
  /** The head that the branch must have; otherwise the write is refused with the code `precondition_failed`. */
  ifCommit?: string;
  message?: string;
  meta?: { [name: string]: string };
  /** Names the write for repeats over several runs of a program; without it each call has its own. */
  key?: string;
  signal?: AbortSignal;
}

export interface UndoOptions extends WriteOptions {
  /** Only shows the outcome. */
  dryRun?: boolean;
}

export interface LoadOptions extends Omit<WriteOptions, "ifCommit"> {
  /** The node type of the records, where they do not say it themselves. */
  type?: string;
  /** The edge type of the records; their ends are `from` and `to`, or `@src` and `@dst`. */
  edge?: string;
  mode?: models.LoadMode;
  /** Records a commit; 100,000. */
  batch?: number;
  /** Called with the number of records that are loaded. */
  progress?: (records: number) => void;
}

export interface ChangesOptions {
  cursor?: Cursor | string;
  /** Where to begin without a place: `now`, `beginning` or `after:COMMIT`. */
  start?: string;
  /** Waits for new commits and does not end. */
  follow?: boolean;
  kinds?: models.EntityKind[];
  types?: string[];
  ops?: models.Operation[];
  signal?: AbortSignal;
}

/**
 * Calls one server. Requests are repeated after a lost answer, 429 and 503, for at most `retrySeconds`. Writes have an
 * idempotency key, so that a repeated one takes effect once.
 */
export class Client {
  private readonly transport: Transport;

  constructor(url = "http://127.0.0.1:8080", options: ClientOptions = {}) {
    this.transport = new Transport(url, options);
  }

  /** A graph of the server; nothing is sent. */
  graph(id: string): Graph {
    return new Graph(this.transport, id, {});
  }

  /** The graphs of the cluster, quarantined ones included. */
  async graphs(): Promise<models.GraphEntry[]> {
    return (await this.transport.call<models.GraphList>("GET", "/graphs")).graphs;
  }
}

/** A state of a graph: the head of `main`, unless it is of {@link branch} or {@link at}. */
export class Graph {
  constructor(
    protected readonly transport: Transport,
    readonly id: string,
    protected readonly target: Target,
  ) {}

  // Places

  /** A branch, which need not exist yet; nothing is sent. */
  branch(name: string): Branch {
    return new Branch(this.transport, this.id, name);
  }

  /** A state of the past, for reads: a commit or another ref (`main~3`), or the branch at a time. */
  at(state: { commit: string } | { asOf: string | Date }): Graph {
    if ("commit" in state) return new Graph(this.transport, this.id, { snapshot: state.commit });
    const time = state.asOf instanceof Date ? state.asOf.toISOString() : state.asOf;
    return new Graph(this.transport, this.id, {
      ...this.target,
      as_of: time.includes("T") ? time : `${time}T00:00:00Z`,
    });
  }

  // Reads

  /** Runs a read in GQ. */
  async query<R = Row>(
    source: string,
    params: Values = {},
    options: { settings?: models.Settings; maxRows?: number; signal?: AbortSignal } = {},
  ): Promise<Rows<R>> {
    const body = { query: sourceOf(source), params, settings: options.settings, max_rows: options.maxRows };
    return new Rows<R>(await this.post("/query", { ...body, ...this.target }, { signal: options.signal }));
  }

  /** Runs a stored read. */
  async call<R = Row>(name: string, params: Values = {}, options: { signal?: AbortSignal } = {}): Promise<Rows<R>> {
    const body = { params, expect: "read", ...this.target };
    return new Rows<R>(await this.post(`/queries/${segment(name)}`, body, { signal: options.signal }));
  }

  /** The stored queries that the caller may invoke. */
  async queries(): Promise<models.StoredQuery[]> {
    return (await this.get<models.StoredQueryList>("/queries")).queries;
  }

  schema(): Promise<models.SchemaSource> {
    return this.get("/schema", this.target);
  }

  /** The compiled schema: types with properties, keys, ends and annotations. */
  catalog(): Promise<models.Catalog> {
    return this.get("/catalog", this.target);
  }

  /** The commit of the state, and how many entities it has of each type. */
  snapshot(): Promise<models.Snapshot> {
    return this.get("/snapshot", this.target);
  }

  /** The entities of the state: nodes before edges, as records of a load. */
  export(options: { types?: string[]; signal?: AbortSignal } = {}): AsyncGenerator<models.EntityRecord> {
    return this.transport.lines(this.path("/export"), { ...this.target, type_names: options.types }, options.signal);
  }

  /**
   * The commits of the branch, newest first, in pages as they are needed. Filters are those of the route: `actor`,
   * `kind`, `since`, `until`, `all`, …
   */
  async *commits(filters: Parameters & { limit?: number } = {}): AsyncGenerator<models.Commit> {
    let left = filters.limit ?? Infinity;
    let before: string | undefined;
    while (left > 0) {
      const params = { ...this.target, ...filters, before, limit: Math.min(left, 1_000) };
      const page: models.CommitList = await this.get("/commits", params);
      yield* page.commits;
      left -= page.commits.length;
      before = page.next_before;
      if (before === undefined) return;
    }
  }

  commit(ref: string): Promise<models.Commit> {
    return this.get(`/commits/${segment(ref)}`);
  }

  /** A page of the commits that changed one entity, newest first. */
  history(
    kind: models.EntityKind,
    type: string,
    id: string,
    options: { before?: string; limit?: number; all?: boolean } = {},
  ): Promise<models.EntityHistory> {
    return this.get("/history", { entity: kind, type, id, ...this.target, ...options });
  }

  /** Who set each present value of an entity. */
  blame(kind: models.EntityKind, type: string, id: string): Promise<models.EntityBlame> {
    return this.get("/history", { entity: kind, type, id, ...this.target, blame: true });
  }

  /** Which entities differ between two states, in pages as they are needed. */
  async *diff(from: string, to: string, filters: Parameters = {}): AsyncGenerator<models.Change> {
    let params: Parameters = { from, to, ...filters };
    for (;;) {
      const page: models.Diff = await this.get("/diff", params);
      yield* page.changes;
      if (page.next_page_token === undefined) return;
      params = { page_token: page.next_page_token };
    }
  }

  async branches(): Promise<models.Branch[]> {
    return (await this.get<models.BranchList>("/branches")).branches;
  }

  async tags(): Promise<models.Tag[]> {
    const tags: models.Tag[] = [];
    let after: string | undefined;
    do {
      const page: models.TagList = await this.get("/tags", { after });
      tags.push(...page.tags);
      after = page.next_after;
    } while (after !== undefined);
    return tags;
  }

  // Writes

  /** Runs a mutation in GQ as one commit. */
  async mutate(source: string, params: Values = {}, options: WriteOptions = {}): Promise<models.MutationResult> {
    const body = { query: sourceOf(source), params, ...note(options), ...this.head() };
    return this.writeIf("/mutate", body, options);
  }

  /** Runs a stored mutation; the rest as {@link mutate}. */
  async callMutation(name: string, params: Values = {}, options: WriteOptions = {}): Promise<models.MutationResult> {
    const body = { params, expect: "mutation", ...note(options), ...this.head() };
    return this.writeIf(`/queries/${segment(name)}`, body, options);
  }

  /** Loads records, one commit for each `batch` of them. */
  async load(
    records: Iterable<Values> | AsyncIterable<Values>,
    options: LoadOptions = {},
  ): Promise<models.LoadResult[]> {
    const { batch = BATCH_RECORDS, mode = "merge", key = crypto.randomUUID() } = options;
    const head = this.head();
    if (!(batch >= 1)) throw new RangeError(`batch must be at least 1, not ${batch}`);
    const headers: { [name: string]: string } = {};
    if (options.message !== undefined) headers["Service-Commit-Message"] = encodeURIComponent(options.message);
    if (options.meta !== undefined) headers["Service-Commit-Meta"] = encoded(options.meta);
    const results: models.LoadResult[] = [];
    let lines: string[] = [];
    let done = 0;
    const send = async () => {
      const call: Call = {
        params: { ...head, mode },
        lines: lines.join("\n"),
        headers: { ...headers, "Idempotency-Key": `${key}-${done}` },
        signal: options.signal,
      };
      results.push(await this.transport.call<models.LoadResult>("POST", this.path("/load/ndjson"), call));
      done += lines.length;
      lines = [];
      options.progress?.(done);
    };
    for await (const record of records) {
      if (lines.length === batch) {
        if (mode === "overwrite") {
          throw new Error(`overwrite replaces what it does not name: load all records at once, batch > ${batch}`);
        }
        await send();
      }
      lines.push(encode(recordOf(record, options)));
    }
    if (lines.length > 0) await send();
    return results;
  }

  /** Names a commit; without `ref` that of this state. */
  tag(name: string, options: { ref?: string; message?: string; key?: string } = {}): Promise<models.Tag> {
    const body = { name, ref: options.ref ?? this.ref(), message: options.message };
    return this.post("/tags", body, { headers: keyed(options.key) });
  }

  deleteTag(name: string): Promise<models.Tag> {
    return this.transport.call("DELETE", this.path(`/tags/${segment(name)}`), { headers: keyed() });
  }

  /** Takes back on this branch what a commit changed, as one commit. */
  revert(ref: string, options: UndoOptions & Partial<models.RevertRequest> = {}): Promise<models.UndoResult> {
    return this.undo(`/commits/${segment(ref)}/revert`, { branch: this.ref() }, options);
  }

  /** Makes on this branch what a commit changed elsewhere, as one commit. */
  pick(ref: string, options: UndoOptions & Partial<models.PickRequest> = {}): Promise<models.UndoResult> {
    return this.undo(`/commits/${segment(ref)}/pick`, { branch: this.ref() }, options);
  }

  /** Makes one commit after which the entities of this branch equal those at a commit. */
  restore(to: string, options: UndoOptions = {}): Promise<models.UndoResult> {
    return this.undo(`/branches/${segment(this.ref())}/restore`, { to }, options);
  }

  /** Takes into this branch what another one has changed since their merge base. */
  mergeBranch(
    source: string,
    options: Omit<models.MergeRequest, "source" | "target"> & { key?: string } = {},
  ): Promise<models.MergeResult> {
    const { key, ...members } = options;
    return this.post("/branches/merge", { source, target: this.ref(), ...members }, { headers: keyed(key) });
  }

  // The feed

  /**
   * The commits of the branch, oldest first, each with what it changed. The place is saved when the body of the loop has
   * run for all that it covers, so every block arrives at least once.
   */
  async *changes(options: ChangesOptions = {}): AsyncGenerator<models.ChangeBlock> {
    const { cursor, start = "now", follow = false, signal } = options;
    const place = typeof cursor === "object" ? cursor : new MemoryCursor(cursor);
    const filters = { kind: options.kinds, type: options.types, op: options.ops };
    for (;;) {
      const saved = await place.load();
      const at = Object.keys(saved).length === 0 ? { start } : saved;
      const wait = follow && !("page_token" in at) ? LONG_POLL_SECONDS : undefined;
      const page: models.ChangePage = await this.get("/changes", { ...this.target, ...filters, ...at, wait }, signal);
      yield* page.blocks;
      if (page.cursor !== undefined) {
        await place.save({ cursor: page.cursor });
        if (page.caught_up && !follow) return;
      } else if (page.next_page_token !== undefined) {
        await place.save({ page_token: page.next_page_token });
      }
    }
  }

  /** The entities of the head, after which `cursor` stands where the feed goes on from them. */
  async *baseline(
    cursor: Cursor,
    options: { types?: string[]; signal?: AbortSignal } = {},
  ): AsyncGenerator<models.EntityRecord> {
    const path = this.path("/changes/baseline");
    const lines = this.transport.lines<models.BaselineLine>(path, { ...this.target, type: options.types }, options.signal);
    let whole = false;
    for await (const line of lines) {
      if ("baseline" in line) {
        await cursor.save({ cursor: line.baseline.resume_cursor });
        whole = true;
      } else {
        yield line;
      }
    }
    if (!whole) throw new StreamBroken(`POST ${path}: the baseline has no end`);
  }

  // How requests are made

  protected path(path: string): string {
    return `/graphs/${segment(this.id)}${path}`;
  }

  protected get<T>(path: string, params: Parameters = {}, signal?: AbortSignal): Promise<T> {
    return this.transport.call("GET", this.path(path), { params, signal });
  }

  protected post<T>(path: string, body: unknown, call: Call = {}): Promise<T> {
    return this.transport.call("POST", this.path(path), { ...call, body });
  }

  /** A write whose condition has a route of its own. */
  private writeIf(path: string, body: unknown, options: WriteOptions): Promise<models.MutationResult> {
    const conditional = options.ifCommit === undefined ? path : `${path}/if-graph-commit`;
    return this.post(conditional, body, { headers: conditions(options), signal: options.signal });
  }

  private undo(path: string, body: Values, options: UndoOptions): Promise<models.UndoResult> {
    const { ifCommit, key, signal, dryRun, ...members } = options;
    const headers = conditions({ ...(ifCommit && { ifCommit }), ...(key && { key }) });
    return this.post(path, { ...body, ...members, dry_run: dryRun }, { headers, signal });
  }

  /** The branch that a write goes to. */
  private head(): Target {
    if (this.target.snapshot !== undefined || this.target.as_of !== undefined) {
      throw new Error('a state of the past is only read; write to a branch: g.branch("main")');
    }
    return this.target;
  }

  protected ref(): string {
    if (this.target.as_of !== undefined) {
      throw new Error("a state at a time has no name; take its commit: (await g.snapshot()).graph_commit_id");
    }
    return this.target.snapshot ?? this.target.branch ?? "main";
  }
}

/** A branch of a graph. */
export class Branch extends Graph {
  constructor(
    transport: Transport,
    id: string,
    readonly name: string,
  ) {
    super(transport, id, { branch: name });
  }

  /** Creates the branch at a branch, a commit or another ref. It has no idempotency key, so it is not repeated. */
  async create(from = "main", options: Pick<WriteOptions, "message" | "meta"> = {}): Promise<Branch> {
    await this.post("/branches", { name: this.name, from, ...note(options) }, { repeat: false });
    return this;
  }

  show(): Promise<models.Branch> {
    return this.get(`/branches/${segment(this.name)}`);
  }

  /** Deletes the branch; not repeated, as {@link create}. */
  delete(): Promise<models.Branch> {
    return this.transport.call("DELETE", this.path(`/branches/${segment(this.name)}`), { repeat: false });
  }

  /** Merges this branch; `dry_run: true` only shows the outcome, with its conflicts. */
  merge(
    into = "main",
    options: Omit<models.MergeRequest, "source" | "target"> & { key?: string } = {},
  ): Promise<models.MergeResult> {
    return this.branch(into).mergeBranch(this.name, options);
  }
}

/** The text as a query: a body that is no whole query gets `query _() { … }` around it. */
function sourceOf(text: string): string {
  for (const line of text.split("\n")) {
    const words = line.replace(/\/\/.*/, "").trim();
    if (words !== "") return /^query\s/.test(words) ? text : `query _() {\n${text}\n}`;
  }
  return text;
}

function recordOf(row: Values, options: LoadOptions): Values {
  if (options.edge !== undefined) {
    const { from = row["@src"], to = row["@dst"], "@src": _src, "@dst": _dst, ...data } = row;
    if (from === undefined || to === undefined) {
      throw new Error(`a row of edge ${options.edge} has no \`from\` or no \`to\`: ${encode(row)}`);
    }
    return { edge: options.edge, from, to, data: withId(data) };
  }
  if (options.type !== undefined) return { type: options.type, data: withId(row) };
  if ("type" in row || "edge" in row) return row;
  throw new Error("give `type` or `edge`, or records that have one of them");
}

function withId(row: Values): Values {
  const { "@id": id, ...data } = row;
  return id === undefined ? data : { ...data, id };
}

function note(options: Pick<WriteOptions, "message" | "meta">): Values {
  return { message: options.message, meta: options.meta };
}

function keyed(key: string = crypto.randomUUID()): { [name: string]: string } {
  return { "Idempotency-Key": key };
}

function conditions(options: Pick<WriteOptions, "ifCommit" | "key">): { [name: string]: string } {
  const headers = keyed(options.key);
  if (options.ifCommit !== undefined) headers["Service-If-Graph-Commit"] = options.ifCommit;
  return headers;
}

function encoded(meta: { [name: string]: string }): string {
  return Object.entries(meta)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
}

function segment(name: string): string {
  return encodeURIComponent(name);
}
