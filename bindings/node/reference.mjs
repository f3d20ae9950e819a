#!/usr/bin/env node
// Makes the reference of the API, `docs/api.md`, of `index.d.ts`.
//
// usage: node reference.mjs [--check]: ends with 1 if it is not what would be made.

import fs from "node:fs";

/** What is exported, each with its comment and its declarations. */
function exportsOf(types) {
  const all = [];
  let comment = "";
  // What is exported, and its comment, begin without indentation.
  for (const block of types.trimEnd().split(/\n+(?=\/\*\*|export )/)) {
    const kinds = /^export (?:type|interface|function|const|class|namespace) (\w+)/;
    const declaration = block.match(kinds);
    if (declaration) {
      const [, name] = declaration;
      const code = block.slice("export ".length);
      if (all.at(-1)?.name === name) all.at(-1).code += `\n${code}`;
      else all.push({ name, comment, code });
    }
    comment = block.startsWith("/**") ? block.slice(3, -2) : "";
  }
  return all;
}

/** A comment as Markdown. */
function textOf(comment) {
  const lines = comment.split("\n").map((line) => line.replace(/^ \* ?/, "").trimEnd());
  const [text, ...examples] = lines.join("\n").trim().split("@example\n");
  const shown = examples.map((example) => `\`\`\`js\n${example.trim()}\n\`\`\``);
  return [text.trim(), ...shown].filter(Boolean);
}

function section({ name, comment, code }) {
  const [text, ...examples] = textOf(comment);
  const parts = [`## ${name}`, text, `\`\`\`ts\n${code}\n\`\`\``, ...examples];
  return parts.filter(Boolean).join("\n\n");
}

const [types, page] = ["index.d.ts", "docs/api.md"].map((name) => new URL(name, import.meta.url));
const head = "# The functions of curt-fs\n\nMade from `index.d.ts`, which editors and compilers read.";
const sections = exportsOf(fs.readFileSync(types, "utf8")).map(section);
const made = `${[head, ...sections].join("\n\n")}\n`;
if (process.argv[2] !== "--check") {
  fs.writeFileSync(page, made);
} else if (fs.readFileSync(page, "utf8") !== made) {
  console.error("docs/api.md is not what index.d.ts says: run bindings/node/reference.mjs");
  process.exitCode = 1;
}
