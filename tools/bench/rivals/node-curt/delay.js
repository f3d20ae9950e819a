// Prints the event loop delay and the memory of each task of main.js, for docs/performance.md.
//
// usage: node-curt-delay [ENTRIES]: makes a tree with so many entries, by default a million
"use strict";

const { spawnSync } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

const SIZE = 1000;
const entries = Number(process.argv[2] ?? 1_000_000);
const place = fs.mkdtempSync(path.join(os.tmpdir(), "node-curt-delay-"));
const tree = path.join(place, "tree");

function grow() {
  for (let made = 0; made < entries; made += SIZE) {
    const folder = path.join(tree, `package-${made}`);
    fs.mkdirSync(folder, { recursive: true });
    for (let at = 1; at < SIZE; at += 1) fs.closeSync(fs.openSync(`${folder}/file-${at}.js`, "w"));
  }
}

function measured(library, task) {
  if (!fs.existsSync(tree)) grow();
  const words = [path.join(__dirname, "node-curt"), library, task, tree, "once"];
  const { stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  const [, , delay, memory] = stderr.match(/^took (\S+) (\S+) (\S+)$/m) ?? [];
  if (delay === undefined) throw new Error(`${library} ${task}: ${stderr}`);
  return `${delay} ms, ${memory} MiB`;
}

try {
  for (const [title, task, rival] of [
    ["`promises.readdir`, strings", "readdir", "fdir"],
    ["`promises.readdir`, `Dirent`s", "dirents", null],
    ["`promises.rm`", "rm", "rimraf"],
  ]) {
    const libraries = ["node", "curt-1", "curt", rival];
    const cells = libraries.map((name) => (name === null ? "" : measured(name, task)));
    console.log(`| ${title} | ${cells.join(" | ")} |`);
  }
} finally {
  fs.rmSync(place, { recursive: true, force: true });
}
