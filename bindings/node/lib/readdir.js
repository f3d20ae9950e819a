"use strict";

const { promisify } = require("util");
const originals = require("./originals.js");
const { signalOf, systemPathOf, threadsOf, treePathOf } = require("./arguments.js");
const {
  direntsOf,
  finish,
  finishInTurns,
  isTextOrBytes,
  prefixOf,
  textsOf,
} = require("./entries.js");
const { list } = require("./native.js");
const { abortable } = require("./signal.js");
const { run, runSync, settle } = require("./work.js");

const [MAJOR, MINOR] = process.versions.node.split(".").map(Number);
// With file types, Node follows symlinks to directories since 22.13, but not in `fs.promises`.
const FOLLOWS_WITH_FILE_TYPES = MAJOR > 22 || (MAJOR === 22 && MINOR >= 13);

/** Returns null if Node's own function must be called, which lists a single directory faster. */
function treeOf(original, path, options) {
  const { encoding, recursive, withFileTypes: kinds } = options;
  if (recursive !== true) return null;
  const threads = threadsOf(options);
  const known = treePathOf(original, path);
  if (typeof known !== "string" || !isTextOrBytes(encoding)) return null;
  const follow = !kinds || (FOLLOWS_WITH_FILE_TYPES && original !== originals.promises.readdir);
  return {
    path: known,
    systemPath: systemPathOf(known),
    isBytes: encoding === "buffer",
    options: { kinds: Boolean(kinds), follow, prefix: prefixOf(known), threads },
  };
}

/** Reads each option once, also inherited ones, as Node does. */
function optionsOf(given) {
  if (typeof given !== "object" || given === null) return { __proto__: null };
  const { encoding, recursive, withFileTypes, signal, threads } = given;
  return { encoding, recursive, withFileTypes, signal, threads };
}

/** Copies the enumerable options, as Node's promise form does since Node 20. */
function enumerableOf(given) {
  if (MAJOR < 20) return given;
  const copy = {};
  for (const name in given) copy[name] = given[name];
  return copy;
}

function resultOf({ path, isBytes, options: { kinds, prefix } }, listed) {
  return kinds ? direntsOf(listed, { path, prefix, isBytes }) : textsOf(listed.names, isBytes);
}

async function start(tree, signal, nodes) {
  if (tree === null) return abortable(signal, nodes);
  const listed = await run(signal, (control) => list(tree.systemPath, tree.options, control));
  return finishInTurns(resultOf(tree, listed), signal);
}

const promises = {
  async readdir(path, given) {
    const options = optionsOf(enumerableOf(given));
    const original = originals.promises.readdir;
    const tree = treeOf(original, path, options);
    return start(tree, signalOf(options), () => original(path, given));
  },
};

function readdir(path, given, callback) {
  const done = typeof given === "function" ? given : callback;
  const options = optionsOf(given);
  const tree = treeOf(originals.readdir, path, options);
  const signal = signalOf(options);
  if (typeof done !== "function" || (tree === null && signal === undefined)) {
    return originals.readdir(path, given, callback);
  }
  return settle(start(tree, signal, () => promisify(originals.readdir)(path, given)), done);
}

function readdirSync(path, given) {
  const tree = treeOf(originals.readdirSync, path, optionsOf(given));
  if (tree === null) return originals.readdirSync(path, given);
  const listed = runSync(() => list(tree.systemPath, tree.options, null), readdirSync);
  return finish(resultOf(tree, listed));
}

module.exports = { readdir, readdirSync, promises };
