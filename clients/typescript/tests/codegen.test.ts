// Uses the functions that `service queries codegen` wrote into generated.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "../src/index.js";
import { addPeople, class_, every, type EveryRow, kept, list } from "./generated.js";

test("generated functions call stored queries", async () => {
  const graph = await new Client(process.env["SERVICE_URL"]).graph("docs").branch("codegen-typescript").create();
  const receipt = await addPeople(graph, { rows: [{ name: "Gen", born: null }] }, { message: "m" });
  assert.deepEqual([receipt.affected_nodes, receipt.commit?.message], [1, "m"]);
  const time = new Date(Date.UTC(2026, 10, 27));
  const given = { text: "ü", flag: true, int: 1, big: 2n ** 63n - 1n, real: 0.5, day: "2026-11-27", time, list: [1n] };
  const [row] = await every(graph, { ...given, word: "very-glad" });
  const expected: Partial<EveryRow> = { text: "ü", flag: true, int: "3", big: "9223372036854775807", real: 0.5, list: ["1"] };
  for (const [name, value] of Object.entries(expected)) assert.deepEqual(row?.[name as keyof EveryRow], value);
  assert.equal(row?.records?.[0]?.n, 1);
  const word: "calm" | "very-glad" | null | undefined = row?.word;
  assert.equal(word, "very-glad");
  const [found] = await class_(graph, { from: "Gen" });
  assert.deepEqual([found?.p?.["name"], found?.["p.name"]], ["Gen", "Gen"]);
  assert.equal([...(await list(graph))][0]?.n, "1");
  const left = [await kept(graph), await kept(graph, { left: undefined }), await kept(graph, { left: null })];
  assert.deepEqual(left.map((rows) => rows.rows[0]?.left), [3, 3, null]);
});
