#!/usr/bin/env node
// Generates the API reference, `docs/api.md`, from `index.d.ts`.
//
// usage: node reference.mjs [--check]
//
// Exits with 1 if an export lacks a comment or, with `--check`, if the page is outdated.

import fs from "node:fs";

const EXPORT = /^export (?:type|interface|function|const|class|namespace) (\w+)/gm;

function exportsOf(types) {
  return types.split(/\n{2,}(?=\S)/).flatMap((block) => {
    const [, comment, code] = block.match(/^(?:\/\*\*([^]*?)\*\/\n)?(export [^]*?)\n?$/) ?? [];
    if (code === undefined) return [];
    const [name, ...others] = new Set([...code.matchAll(EXPORT)].map(([, name]) => name));
    return [{ name, others, comment, code: code.replace(/^export /gm, "") }];
  });
}

function faultsOf({ name, others, comment, code }) {
  const faults = [];
  if (!comment) faults.push(`${name} has no comment`);
  if (others.length > 0 || /^\/\*\*/m.test(code)) {
    faults.push(`there is no blank line after ${name}`);
  }
  return faults;
}

function textOf(comment) {
  const lines = comment.split("\n").map((line) => line.replace(/^ \* ?/, "").trimEnd());
  const [text, ...examples] = lines.join("\n").trim().split("@example\n");
  const shown = examples.map((example) => `\`\`\`js\n${example.trim()}\n\`\`\``);
  return [text.trim(), ...shown].filter(Boolean);
}

function section({ name, comment, code }) {
  const [text, ...examples] = textOf(comment);
  return [`## ${name}`, text, `\`\`\`ts\n${code}\n\`\`\``, ...examples].join("\n\n");
}

const [types, page] = ["index.d.ts", "docs/api.md"].map((name) => new URL(name, import.meta.url));
const all = exportsOf(fs.readFileSync(types, "utf8"));
const faults = all.flatMap(faultsOf);
if (faults.length > 0) {
  console.error(`index.d.ts: ${faults.join("; ")}`);
  process.exit(1);
}
const head = "# The functions of curt-fs\n\nMade from `index.d.ts`, which editors and compilers read.";
const made = `${[head, ...all.map(section)].join("\n\n")}\n`;
if (process.argv[2] !== "--check") {
  fs.writeFileSync(page, made);
} else if (fs.readFileSync(page, "utf8") !== made) {
  console.error("docs/api.md is not up to date: run bindings/node/reference.mjs");
  process.exitCode = 1;
}
