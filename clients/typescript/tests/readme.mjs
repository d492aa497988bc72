// Makes tests/readme.test.ts of the samples of README.md: each `EXPRESSION; // => VALUE` becomes a comparison.
import { readFileSync, writeFileSync } from "node:fs";

const folder = new URL("..", import.meta.url);
const samples = [...readFileSync(new URL("README.md", folder), "utf8").matchAll(/^```ts\n(.*?)^```$/gms)].map((each) => each[1]);
const lines = samples.join("\n").split("\n");
const isImport = (line) => line.startsWith("import ");
const imports = lines.filter(isImport).map((line) => line.replace("@service/graph/node", "../src/node.js").replace("@service/graph", "../src/index.js"));
const body = lines
  .filter((line) => !isImport(line))
  .map((line) => line.replace(/^(\s*)(.*); \/\/ => (.*)$/, "$1assert.deepEqual($2, $3);"));
if (!body.some((line) => line.includes("assert.deepEqual"))) throw new Error("README.md has no samples");
writeFileSync(
  new URL("tests/readme.test.ts", folder),
  `// Made by readme.mjs.
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
${imports.join("\n")}

const URL = process.env["SERVICE_URL"] ?? "";
const TOKEN = "unused";
const FOLDER = mkdtempSync(tmpdir() + "/readme-");

test("the samples of the README", async () => {
${body.join("\n")}
});
`,
);
