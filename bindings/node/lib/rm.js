// `rm` and `rmSync`.
"use strict";

const originals = require("./originals.js");
const { pathOf, signalOf, threadsOf } = require("./arguments.js");
const { remove } = require("./native.js");
const { callBack, run, runSync } = require("./work.js");

const isCount = (value) => Number.isInteger(value) && value >= 0 && value < 2 ** 31;

/**
 * The arguments for the addon, or null where Node's own function is called: it removes what is no
 * tree, and has the errors of wrong arguments.
 */
function argumentsOf(path, options, threads) {
  const { force = false, maxRetries = 0, recursive = false, retryDelay = 100 } = options;
  const known = pathOf(path);
  const isTree = recursive === true && typeof force === "boolean";
  if (known === null || !isTree || !isCount(maxRetries) || !isCount(retryDelay)) return null;
  return [known, { force, maxRetries, retryDelay, threads: threadsOf(options, threads) }];
}

function start(words, options) {
  return run(signalOf(options), (control) => remove(...words, control));
}

function rm(path, given, callback = given) {
  const options = typeof given === "function" ? {} : { ...given };
  const words = typeof callback === "function" ? argumentsOf(path, options, 1) : null;
  if (words === null) return originals.rm(path, given, callback);
  return callBack(start(words, options), callback);
}

async function rmPromise(path, given) {
  const options = { ...given };
  const words = argumentsOf(path, options, 1);
  return words === null ? originals.promises.rm(path, given) : start(words, options);
}

function rmSync(path, given) {
  const options = { ...given };
  const words = argumentsOf(path, options, 0);
  if (words === null) return originals.rmSync(path, given);
  return runSync(() => remove(...words, null), rmSync);
}

module.exports = { rm, rmSync, promises: { rm: rmPromise } };
