"use strict";

const { lstatSync } = require("fs");
const { optionsOf, pathFor, signalOf, systemPathOf, threadsOf } = require("./arguments.js");
const { measure } = require("./native.js");
const { run } = require("./work.js");

async function usage(path, given) {
  const options = optionsOf(given, "signal", "threads");
  const threads = threadsOf(options);
  const known = systemPathOf(pathFor(lstatSync, path));
  return run(signalOf(options), (control) => measure(known, threads, control));
}

module.exports = { usage };
