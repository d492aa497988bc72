// Drives a language server on standard input and output. Arguments: the folder of node_modules, a folder with people.pg
// and all.gq. What fails is said on standard error.
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const [modules, folder] = process.argv.slice(2);
const rpc = require("node:module").createRequire(path.join(modules, "x"))("vscode-languageserver-protocol/node");

const connection = rpc.createProtocolConnection(
  new rpc.StreamMessageReader(process.stdin),
  new rpc.StreamMessageWriter(process.stdout),
);
const shown = new Map();
const waiting = [];
connection.onNotification(rpc.PublishDiagnosticsNotification.type, (params) => {
  shown.set(params.uri, params.diagnostics);
  waiting.splice(0).forEach((resolve) => resolve());
});
const until = async (uri, condition) => {
  while (!condition(shown.get(uri))) await new Promise((resolve) => waiting.push(resolve));
  return shown.get(uri);
};

const uriOf = (name) => pathToFileURL(path.join(folder, name)).href;
const textOf = (name) => fs.readFileSync(path.join(folder, name), "utf8");
let version = 0;
const open = (name, languageId) => {
  const textDocument = { uri: uriOf(name), languageId, version: ++version, text: textOf(name) };
  return connection.sendNotification(rpc.DidOpenTextDocumentNotification.type, { textDocument });
};
const change = (name, text) =>
  connection.sendNotification(rpc.DidChangeTextDocumentNotification.type, {
    textDocument: { uri: uriOf(name), version: ++version },
    contentChanges: [{ text }],
  });

async function main() {
  connection.listen();
  const { capabilities } = await connection.sendRequest(rpc.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: {},
  });
  assert.ok(capabilities.hoverProvider && capabilities.definitionProvider && capabilities.documentFormattingProvider);
  await connection.sendNotification(rpc.InitializedNotification.type, {});

  const source = textOf("all.gq");
  const gq = uriOf("all.gq");
  const place = (text, after = 0, whole = source) => {
    const offset = whole.indexOf(text) + after;
    const lines = whole.slice(0, offset).split("\n");
    return { textDocument: { uri: gq }, position: { line: lines.length - 1, character: lines.at(-1).length } };
  };

  await open("all.gq", "gq");
  assert.deepEqual(await until(gq, (found) => found), []);

  await change("all.gq", source.replace("$p.name", "/* ü𝄞 */ $p.nme"));
  const [mistake] = await until(gq, (found) => found.length > 0);
  assert.equal(mistake.code, "T2");
  assert.match(mistake.message, /name/);
  const line = source.replace("$p.name", "/* ü𝄞 */ $p.nme").split("\n")[mistake.range.start.line];
  assert.match(line.slice(mistake.range.start.character, mistake.range.end.character), /^(\$p\.)?n?me|^\$p/);
  await change("all.gq", source);
  assert.deepEqual(await until(gq, (found) => found.length === 0), []);

  // A schema that the editor has changed counts before it is saved.
  await open("people.pg", "pg");
  await change("people.pg", textOf("people.pg").replace("name:", "title:"));
  assert.equal((await until(gq, (found) => found.length > 0))[0].code, "T2");
  await change("people.pg", textOf("people.pg"));
  await until(gq, (found) => found.length === 0);

  const labels = async (whole, at, after) => {
    await change("all.gq", whole);
    const found = await connection.sendRequest(rpc.CompletionRequest.type, place(at, after, whole));
    return found.map((item) => item.label);
  };
  assert.deepEqual((await labels(source, "$p.name", 4)).sort(), ["$p.name"]);
  assert.ok((await labels(source.replace(": Person", ": "), "$p: ", 4)).includes("Person"));
  assert.ok((await labels(source.replace("knows", "k"), "$p k", 4)).includes("knows"));
  assert.ok((await labels(source, "$who }", 2)).includes("$who"));
  assert.ok((await labels(source, "return", 3)).includes("return"));
  // Within a string only the words of its enum are offered.
  const moods = "query m() { match { $p: Person { mood: \"so-\" } $p.name = \"ma\" } return { $p.mood } }";
  assert.deepEqual(await labels(moods, "so-", 3), ["so-so"]);
  assert.deepEqual(await labels(moods, "\"ma", 3), []);
  await change("all.gq", source);

  const hover = await connection.sendRequest(rpc.HoverRequest.type, place("Person", 2));
  assert.match(hover.contents.value, /node Person @description\("Somebody"\)[^]*used 2 times in queries/);
  assert.match((await connection.sendRequest(rpc.HoverRequest.type, place("$p.born", 5))).contents.value, /Person\.born: Date\?/);
  assert.match((await connection.sendRequest(rpc.HoverRequest.type, place("upper(", 2))).contents.value, /one argument/);
  assert.match((await connection.sendRequest(rpc.HoverRequest.type, place("name: $who", 2))).contents.value, /Person\.name: String/);
  assert.match((await connection.sendRequest(rpc.HoverRequest.type, place("$p knows", 1))).contents.value, /\$p: Person/);
  assert.equal(await connection.sendRequest(rpc.HoverRequest.type, place("return", 2)), null);

  const definition = async (at, after) => connection.sendRequest(rpc.DefinitionRequest.type, place(at, after));
  const schema = textOf("people.pg").split("\n");
  const target = async (at, after) => {
    const { uri, range } = await definition(at, after);
    const lines = uri === gq ? source.split("\n") : schema;
    return [path.basename(uri), lines[range.start.line].slice(range.start.character, range.end.character)];
  };
  assert.deepEqual(await target("Person", 2), ["people.pg", "Person"]);
  assert.deepEqual(await target("knows", 2), ["people.pg", "Knows"]);
  assert.deepEqual(await target("$p.born", 5), ["people.pg", "born"]);
  assert.deepEqual(await target("$who }", 2), ["all.gq", "$who"]);

  // The other file of queries is not open, and has another type with a property `name`.
  const shownAt = ({ uri, range }) => {
    const name = path.basename(uri);
    const lines = fs.readFileSync(new URL(uri), "utf8").split("\n").slice(range.start.line);
    return `${name} ${range.start.line} ${lines[0].slice(range.start.character, range.end.character)}`;
  };
  const references = async (at, after) =>
    (await connection.sendRequest(rpc.ReferencesRequest.type, { ...place(at, after), context: {} })).map(shownAt).sort();
  assert.deepEqual(await references("name: $who", 1), [
    "all.gq 1 name", "all.gq 2 name", "all.gq 2 name", "a.gq 1 name", "people.pg 0 name",
  ].sort());
  assert.deepEqual(await references("knows", 1), ["all.gq 2 knows", "people.pg 1 Knows"]);
  assert.deepEqual(await references("$who }", 2), ["all.gq 0 $who", "all.gq 1 $who"]);
  const rename = async (at, newName) => {
    const { changes } = await connection.sendRequest(rpc.RenameRequest.type, { ...place(at, 1), newName });
    const edited = Object.entries(changes).map(([uri, edits]) => {
      const lines = fs.readFileSync(new URL(uri), "utf8").split("\n");
      for (const { range, newText } of edits) {
        const line = lines[range.start.line];
        lines[range.start.line] = line.slice(0, range.start.character) + newText + line.slice(range.end.character);
      }
      return [path.basename(uri), lines.join("\n")];
    });
    return Object.fromEntries(edited);
  };
  const renamed = await rename("name: $who", "title");
  assert.match(renamed["people.pg"], /node Person @description\("Somebody"\) \{ title: String @key/);
  assert.match(renamed["people.pg"], /node Town \{ name: String/);
  assert.match(renamed["all.gq"], /\{ title: \$who \}[^]*\$p\.title,[^]*upper\(\$p\.title\)/);
  assert.match(renamed["a.gq"], /\$p\.title, \$t\.name/);
  assert.match((await rename("knows", "IsFriendOf"))["all.gq"], /\$p isFriendOf \$_/);
  await assert.rejects(rename("name: $who", "born"), /born/);
  await assert.rejects(rename("return", "x"), /nothing|no type/);

  const symbols = await connection.sendRequest(rpc.DocumentSymbolRequest.type, { textDocument: { uri: gq } });
  assert.deepEqual(symbols.map((each) => each.name), ["all"]);

  const [edit] = await connection.sendRequest(rpc.DocumentFormattingRequest.type, {
    textDocument: { uri: gq },
    options: { tabSize: 4, insertSpaces: true },
  });
  assert.equal(edit.newText.includes("  match { $p: Person { name: $who } }"), true, edit.newText);
  await change("all.gq", "query all( {");
  const none = await connection.sendRequest(rpc.DocumentFormattingRequest.type, {
    textDocument: { uri: gq },
    options: { tabSize: 4, insertSpaces: true },
  });
  assert.deepEqual(none, []);

  await assert.rejects(connection.sendRequest("service/nothing", {}), /is not a method/);
  await connection.sendRequest(rpc.ShutdownRequest.type);
  await connection.sendNotification(rpc.ExitNotification.type);
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
