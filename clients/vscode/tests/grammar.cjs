// Tokenizes the samples of docs/ with the grammars. Arguments: the folder of node_modules, the folder docs.
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const [modules, docs] = process.argv.slice(2);
const load = (name) => require(path.join(modules, name));
const textmate = load("vscode-textmate");
const oniguruma = load("vscode-oniguruma");

const WORDS = {
  gq: { match: "keyword.control.gq", return: "keyword.control.gq", query: "keyword.control.gq", insert: "keyword.control.gq" },
  pg: { node: "keyword.control.pg", edge: "keyword.control.pg", String: "support.type.pg" },
};

(async () => {
  await oniguruma.loadWASM(fs.readFileSync(path.join(modules, "vscode-oniguruma/release/onig.wasm")).buffer);
  const registry = new textmate.Registry({
    onigLib: {
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    },
    loadGrammar: async (scope) => {
      const file = path.join(__dirname, "../syntaxes", scope.replace("source.", "") + ".tmLanguage.json");
      return textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file);
    },
  });
  const seen = { gq: 0, pg: 0 };
  for (const page of fs.readdirSync(docs).filter((name) => name.endsWith(".md"))) {
    const text = fs.readFileSync(path.join(docs, page), "utf8");
    for (const [, language, sample] of text.matchAll(/^```(gq|pg)\n(.*?)^```$/gms)) {
      const grammar = await registry.loadGrammar("source." + language);
      seen[language]++;
      let state = textmate.INITIAL;
      for (const line of sample.split("\n")) {
        const result = grammar.tokenizeLine(line, state);
        state = result.ruleStack;
        for (const token of result.tokens) {
          const word = line.slice(token.startIndex, token.endIndex);
          const scope = token.scopes[token.scopes.length - 1];
          const place = `${page}: ${line}: \`${word}\` is ${scope}`;
          if (scope === "source." + language) {
            // What has no colour: white space, brackets and the like, and plain words such as edges and columns.
            assert.match(word, /^[-\s{}()[\],:;?.^\w]*$/, place);
          }
          const expected = WORDS[language][word];
          if (expected && !scope.startsWith("comment") && !scope.startsWith("string")) {
            assert.ok(scope === expected || scope.startsWith("variable.other.property"), place);
          }
          if (/^\/\/|^\/\*/.test(word)) assert.ok(scope.startsWith("comment") || scope.startsWith("string"), place);
        }
      }
      assert.equal(state.depth, 1, `${page}: the sample ends inside a string or comment:\n${sample}`);
    }
  }
  assert.ok(seen.gq > 50 && seen.pg > 5, JSON.stringify(seen));
  console.log("tokenized", JSON.stringify(seen));
})().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
