// Replaces Node's functions with curt's: `require("curt-fs/install")` or `node -r curt-fs/install`.
"use strict";

const fs = require("fs");
const { syncBuiltinESMExports } = require("module");
const curt = require("./index.js");
const originals = require("./lib/originals.js");

const { cp, cpSync, opendir, opendirSync, readdir, readdirSync, rm, rmSync, promises } = curt;
const skipped = [];

function replace(module, path, functions, before) {
  for (const [name, ours] of Object.entries(functions)) {
    const current = module[name];
    const isNodes = current === before[name] && originals.isNodes(current);
    if (isNodes && Reflect.set(module, name, ours)) {
      originals.adopt(ours);
      continue;
    }
    // Do not warn about a function that another copy of this package has replaced.
    if (originals.sourceOf(current) !== originals.sourceOf(ours)) skipped.push(`${path}.${name}`);
  }
}

// With `--permission`, curt's functions would only call Node's.
if (process.permission === undefined) {
  const own = { cp, cpSync, opendir, opendirSync, readdir, readdirSync, rm, rmSync };
  replace(fs, "fs", own, originals);
  replace(fs.promises, "fs.promises", promises, originals.promises);
  syncBuiltinESMExports();
}
if (skipped.length > 0) {
  const reason = originals.canVerify()
    ? "they cannot be set, or they or functions that they call are not Node's own"
    : "cannot tell whether they are Node's own";
  process.emitWarning(`curt-fs/install leaves ${skipped.join(", ")} alone: ${reason}`);
}
