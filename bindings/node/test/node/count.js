// Installs curt, and logs each call of the addon to $CURT_CALLS.
"use strict";

const fs = require("fs");
const path = require("path");

const { appendFileSync } = fs;
const native = require(path.join(path.dirname(require.resolve("curt-fs")), "lib/native.js"));

// Appends at once, because a worker thread can be terminated without an event.
const count = (name) => appendFileSync(process.env.CURT_CALLS, `${name}\n`);

for (const [name, call] of Object.entries(native)) {
  if (typeof call !== "function" || name === "Control") continue;
  native[name] = new Proxy(call, {
    apply(target, self, words) {
      count(name);
      return Reflect.apply(target, self, words);
    },
    construct(target, words) {
      count(name);
      return Reflect.construct(target, words);
    },
  });
}
require("curt-fs/install");
