// Installs curt, and counts in the file $CURT_CALLS what the addon is called for.
"use strict";

const fs = require("fs");
const path = require("path");

const { appendFileSync } = fs;
const native = require(path.join(path.dirname(require.resolve("curt-fs")), "lib/native.js"));
const calls = {};
for (const [name, call] of Object.entries(native)) {
  // Names of classes are left alone.
  if (name[0] !== name[0].toLowerCase()) continue;
  native[name] = (...words) => {
    calls[name] = (calls[name] || 0) + 1;
    return call(...words);
  };
}
require("curt-fs/install");
process.on("exit", () => appendFileSync(process.env.CURT_CALLS, `${JSON.stringify(calls)}\n`));
