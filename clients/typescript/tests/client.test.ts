// Tests against a running server: SERVICE_URL names it; its graph `docs` has the schema of the README.
import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Client, ConnectionFailed, MemoryCursor, type models, ServiceError, StorageCursor, StreamBroken } from "../src/index.js";
import { FileCursor } from "../src/node.js";

const URL = process.env["SERVICE_URL"] ?? "";
const g = new Client(URL, { retrySeconds: 5 }).graph("docs");

let names = 0;
const fresh = (prefix: string) => `${prefix}${process.pid}-${++names}`;
const branch = () => g.branch(fresh("t/")).create();

async function refusal(work: Promise<unknown>): Promise<ServiceError> {
  const refused = await work.then(
    () => assert.fail("not refused"),
    (error: unknown) => error,
  );
  assert.ok(refused instanceof ServiceError, String(refused));
  return refused;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of items) found.push(each);
  return found;
}

test("64-bit integers and parameters are exact", async () => {
  const rows = await g.query(
    "query q($n: I64, $t: DateTime, $l: [String]) { return { $n as n, $t as t, $l as l } }",
    { n: 2n ** 63n - 1n, t: new Date(Date.UTC(2026, 10, 26)), l: ["a"] },
  );
  assert.equal(BigInt(rows.rows[0]?.["n"]), 2n ** 63n - 1n);
  assert.deepEqual(rows.rows[0]?.["l"], ["a"]);
  await assert.rejects(g.query("query q($f: F64) { return { $f as f } }", { f: NaN }), /NaN is no value/);
});

test("diagnostics show source and caret", async () => {
  const refused = await refusal(g.query("match { $p: Person } return { $p.nme }"));
  assert.deepEqual([refused.status, refused.code, refused.diagnostics[0]?.code], [400, "bad_request", "T2"]);
  assert.match(refused.message, /\^/);
});

test("what cannot be meant is refused before it is sent", async () => {
  const past = g.at({ asOf: new Date() });
  await assert.rejects(past.mutate('insert Person { name: "x" }'), /only read/);
  await assert.rejects(g.at({ commit: "main" }).load([{ name: "x" }], { type: "Person" }), /only read/);
  await assert.rejects(g.load([{ name: "x" }], { type: "Person", batch: 0 }), /at least 1/);
  assert.throws(() => new Client("localhost:8080"), /http:\/\//);
});

test("a condition that does not hold is a code", async () => {
  const b = await branch();
  const first = await b.mutate('insert Person { name: "x" }');
  const second = await b.mutate('insert Person { name: "y" }', {}, { message: "m", meta: { a: "ü" } });
  assert.deepEqual([second.commit?.message, second.commit?.meta], ["m", { a: "ü" }]);
  const ifCommit = first.commit?.graph_commit_id ?? "";
  const calls = [
    () => b.mutate('insert Person { name: "z" }', {}, { ifCommit }),
    () => b.restore(ifCommit, { ifCommit }),
    () => b.revert(ifCommit, { ifCommit }),
  ];
  for (const call of calls) assert.equal((await refusal(call())).code, "precondition_failed");
  assert.equal((await b.revert(ifCommit, { dryRun: true })).outcome, "merged");
  assert.equal((await b.revert(ifCommit, { message: "no" })).outcome, "merged");
});

test("loads go in batches, and export and pages bring everything", async () => {
  const b = await branch();
  const told: number[] = [];
  async function* people() {
    for (let i = 0; i < 30; i++) yield { name: `p${i}` };
  }
  const key = fresh("load");
  const results = await b.load(people(), { type: "Person", batch: 13, key, progress: (n) => told.push(n), message: "l ü" });
  assert.deepEqual(told, [13, 26, 30]);
  assert.deepEqual(await b.load(people(), { type: "Person", batch: 13, key, message: "l ü" }), results);
  await b.load([{ "@src": "p0", "@dst": "p1", since: "2020-01-01" }], { edge: "Knows", meta: { source: "a&b" } });
  const records = await all(b.export({ types: ["Knows"] }));
  assert.deepEqual(records.map((each) => "edge" in each && [each.from, each.to]), [["p0", "p1"]]);
  const commits = await all(b.commits({ limit: 4 }));
  assert.deepEqual(commits.map((each) => each.kind), ["load", "load", "load", "load"]);
  assert.deepEqual([commits[0]?.meta, commits[1]?.message], [{ source: "a&b" }, "l ü"]);
  const to = commits[0]?.graph_commit_id ?? "";
  assert.equal((await all(b.diff(`${to}~1`, to, { limit: 1 }))).length, 1);
  assert.equal((await b.history("node", "Person", "p0")).changes.length, 1);
  assert.ok((await b.blame("node", "Person", "p0")).properties);
  await assert.rejects(b.load([{ name: "x" }]), /give `type` or `edge`/);
  await assert.rejects(b.load([{ from: "x" }], { edge: "Knows" }), /has no `from` or no `to`/);
});

test("branches, tags and the past", async () => {
  const b = await branch();
  await b.load([{ name: "c" }], { type: "Person" });
  const other = await g.branch(fresh("t/")).create(b.name);
  await b.mutate('update Person set { born: date("1990-01-01") } where name = "c"');
  await other.mutate('update Person set { born: date("1991-01-01") } where name = "c"');
  const preview = await other.merge(b.name, { dry_run: true });
  assert.deepEqual(preview.preview?.merge_conflicts.map((each) => each.entity_id), ["c"]);
  assert.equal((await g.at({ commit: `${b.name}~1` }).query('match { $p: Person { name: "c" } } return { $p.born as b }')).rows[0]?.["b"], null);
  const tag = await other.tag(fresh("v"));
  assert.ok((await g.tags()).some((each) => each.name === tag.name));
  await g.deleteTag(tag.name);
  assert.throws(() => g.at({ asOf: "2026-01-01" }).tag("v"), /snapshot/);
  await other.delete();
  assert.equal((await refusal(other.show())).code, "not_found");
});

test("the catalog and the feed show types alike", async () => {
  const catalog = await g.catalog();
  for await (const block of g.changes({ start: "beginning" })) {
    const shown = block.schema_change?.steps.map((step) => step.definition);
    assert.deepEqual(shown, [...catalog.nodes, ...catalog.edges]);
    break;
  }
});

test("each block arrives, and the place is kept", async () => {
  const b = await branch();
  const file = join(await mkdtemp(join(tmpdir(), "graph-")), "place.json");
  assert.ok(Array.isArray(await all(b.baseline(new FileCursor(file)))));
  await b.mutate('insert Person { name: "n1" }');
  await b.mutate('insert Person { name: "n2" }');
  const seen = async () => (await all(b.changes({ cursor: new FileCursor(file) }))).map((block) => block.changes[0]?.id);
  for await (const block of b.changes({ cursor: new FileCursor(file) })) {
    if (block.changes[0]?.id === "n2") break; // before the place was saved
  }
  assert.deepEqual(await seen(), ["n1", "n2"]);
  assert.deepEqual(await seen(), []);
});

test("a follower sees what comes, and ends with its signal", async () => {
  const b = await branch();
  const kept = new Map<string, string>();
  const storage = { getItem: (name: string) => kept.get(name) ?? null, setItem: (name: string, to: string) => void kept.set(name, to) };
  const cursor = new StorageCursor(storage, "place");
  await all(b.changes({ cursor }));
  const ends = new AbortController();
  const written = b.mutate('insert Person { name: "late" }');
  await assert.rejects(async () => {
    for await (const block of b.changes({ cursor, follow: true, signal: ends.signal })) {
      assert.equal(block.changes[0]?.id, "late");
      ends.abort(new Error("enough"));
    }
  }, /enough/);
  await written;
});

test("a write whose answer was lost is made once", async () => {
  const b = await branch();
  let sent = 0;
  const losing: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    if (++sent > 2) return answer;
    await answer.text();
    throw new TypeError("fetch failed");
  };
  await new Client(URL, { fetch: losing }).graph("docs").branch(b.name).mutate('insert Person { name: "lost" }');
  assert.equal(sent, 3);
  const written = await all(b.commits({ type: "Person", entity: "node", id: "lost" }));
  assert.equal(written.length, 1);
  sent = 0;
  await assert.rejects(new Client(URL, { fetch: losing }).graph("docs").branch(fresh("t/")).create(), ConnectionFailed);
  assert.equal(sent, 1);
});

test("a busy server is asked again, and one that is away is a clear error", async () => {
  let sent = 0;
  const busy: typeof fetch = async (input, init) =>
    ++sent > 1
      ? fetch(input, init)
      : Response.json({ error: "busy", code: "too_many_requests", request_id: "1" }, { status: 429, headers: { "Retry-After": "0" } });
  assert.deepEqual((await new Client(URL, { fetch: busy }).graph("docs").query("return { 1 as x }")).rows, [{ x: 1 }].map(() => ({ x: "1" })));
  const away = new Client("http://127.0.0.1:1", { retrySeconds: 0.2 });
  await assert.rejects(away.graphs(), ConnectionFailed);
});

test("a stream that is cut is not whole", async () => {
  const ends = [(stream: ReadableStreamDefaultController) => stream.error(new TypeError("terminated")), (stream: ReadableStreamDefaultController) => stream.close()];
  for (const end of ends) {
    const cut: typeof fetch = async () =>
      new Response(
        new ReadableStream({
          start(stream) {
            stream.enqueue(new TextEncoder().encode('{"type":"Person","data":{"name":"a"}}\n'));
            end(stream);
          },
        }),
      );
    await assert.rejects(all(new Client(URL, { fetch: cut }).graph("docs").baseline(new MemoryCursor())), StreamBroken);
  }
});

// The types are those of the document.
export const typed: (block: models.ChangeBlock) => string = (block) => block.cause.graph_commit_id;
