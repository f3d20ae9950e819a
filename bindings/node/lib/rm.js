"use strict";

const { setTimeout } = require("timers/promises");
const { promisify } = require("util");
const originals = require("./originals.js");
const { isOptions, pathOf, signalOf, systemPathOf, threadsOf } = require("./arguments.js");
const { transient } = require("./errors.js");
const { remove } = require("./native.js");
const { abortable } = require("./signal.js");
const { run, runSync, settle } = require("./work.js");

const isCount = (value) => Number.isInteger(value) && value >= 0 && value < 2 ** 31;

const DEFAULTS = { force: false, maxRetries: 0, recursive: false, retryDelay: 100 };

/** Returns the options and the tree to remove: null if Node's own function must be called. */
function requestOf(original, path, given) {
  const known = pathOf(path);
  if (known === null) return { options: { __proto__: null }, tree: null };
  const options = { __proto__: null, ...DEFAULTS, ...given };
  const { force, maxRetries, recursive, retryDelay } = options;
  const isTree = isOptions(given) && recursive === true && typeof force === "boolean";
  if (!isTree || !isCount(maxRetries) || !isCount(retryDelay)) return { options, tree: null };
  const request = { path: systemPathOf(known), force, maxRetries, retryDelay };
  const tree = { ...request, threads: threadsOf(options) };
  return { options, tree: originals.isNodes(original) ? tree : null };
}

/** On a retry, a missing path counts as removed. */
function attempt({ path, force, threads }, number, control) {
  return remove(path, force || number > 0, threads, control);
}

function delayOrThrow({ maxRetries, retryDelay }, number, error) {
  if (number >= maxRetries || !transient.has(error)) throw error;
  return (number + 1) * retryDelay;
}

// Waits here between retries: sleeping in the addon would occupy a pool thread.
async function removeTree(tree, signal) {
  for (let number = 0; ; number += 1) {
    try {
      return await run(signal, (control) => attempt(tree, number, control));
    } catch (error) {
      await setTimeout(delayOrThrow(tree, number, error), undefined, { signal });
    }
  }
}

function removeTreeSync(tree) {
  for (let number = 0; ; number += 1) {
    try {
      return runSync(() => attempt(tree, number, null), rmSync);
    } catch (error) {
      const delay = delayOrThrow(tree, number, error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delay);
    }
  }
}

function start(tree, signal, nodes) {
  return tree === null ? abortable(signal, nodes) : removeTree(tree, signal);
}

const promises = {
  async rm(path, given) {
    const original = originals.promises.rm;
    const { options, tree } = requestOf(original, path, given);
    return start(tree, signalOf(options), () => original(path, given));
  },
};

function rm(path, given, callback) {
  const done = typeof given === "function" ? given : callback;
  const { options, tree } = requestOf(originals.rm, path, given === done ? {} : given);
  const signal = signalOf(options);
  if (typeof done !== "function" || (tree === null && signal === undefined)) {
    return originals.rm(path, given, callback);
  }
  return settle(start(tree, signal, () => promisify(originals.rm)(path, given)), done);
}

function rmSync(path, given) {
  const { tree } = requestOf(originals.rmSync, path, given);
  return tree === null ? originals.rmSync(path, given) : removeTreeSync(tree);
}

module.exports = { rm, rmSync, promises };
