// Starts `service lsp` for .gq and .pg files.
"use strict";
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const command = vscode.workspace.getConfiguration("service").get("program");
  client = new LanguageClient(
    "service",
    "service lsp",
    { command, args: ["lsp"] },
    { documentSelector: [{ language: "gq" }, { language: "pg" }] },
  );
  await client.start();
};

exports.deactivate = () => client?.stop();
