// `readdir` and `readdirSync`.
"use strict";

const { Dirent } = require("fs");
const { join } = require("path");
const originals = require("./originals.js");
const { pathOf, signalOf, threadsOf } = require("./arguments.js");
const { list } = require("./native.js");
const { abortable, callBack, run, runSync } = require("./work.js");

const [MAJOR, MINOR] = process.versions.node.split(".").map(Number);
// Node follows links to directories; with file types since this version, and never for promises.
const FOLLOWS_WITH_FILE_TYPES = MAJOR > 22 || (MAJOR === 22 && MINOR >= 13);

// About as many bytes become strings at once: a string that is kept holds those beside it.
const PIECE = 1 << 20;

const isUtf8 = (encoding) => !encoding || /^utf-?8$/i.test(encoding);
const isEncoding = (encoding) =>
  !encoding || encoding === "buffer" || Buffer.isEncoding(encoding);

/**
 * The tree that curt lists, or null where Node's own function is called: for a single directory,
 * which it lists in less time than the addon takes to be called, with wrong arguments, for which it
 * has the errors, and for a tree whose path is no text.
 */
function treeOf(path, options, threads, isPromise) {
  const { encoding, recursive, withFileTypes: kinds } = options;
  if (recursive !== true) return null;
  const known = pathOf(path);
  if (typeof known !== "string" || !isEncoding(encoding)) return null;
  const follow = !kinds || (FOLLOWS_WITH_FILE_TYPES && !isPromise);
  const prefix = join(known, "x").slice(0, -1);
  return {
    path: known,
    encoding,
    options: { kinds: Boolean(kinds), follow, prefix, threads: threadsOf(options, threads) },
  };
}

/** The options that were passed, if there may be some that are about more than names. */
const optionsOf = (given) => (typeof given === "object" ? { ...given } : {});

/** The texts of a block, which has NULs between them. */
function textsOf(block, encoding) {
  if (!isUtf8(encoding)) return encodedOf(block, encoding);
  const pieces = [];
  for (let from = 0; from < block.length; ) {
    let to = block.indexOf(0, from + PIECE);
    if (to < 0) to = block.length;
    pieces.push(block.toString("utf8", from, to).split("\0"));
    from = to + 1;
  }
  return pieces.length === 1 ? pieces[0] : pieces.flat();
}

function encodedOf(block, encoding) {
  const texts = [];
  for (let from = 0; from < block.length; ) {
    let to = block.indexOf(0, from);
    if (to < 0) to = block.length;
    const bytes = block.subarray(from, to);
    texts.push(encoding === "buffer" ? Buffer.from(bytes) : bytes.toString(encoding));
    from = to + 1;
  }
  return texts;
}

/** What the caller gets of what the addon has found. */
function resultOf({ path, encoding, options: { prefix } }, { names, kinds: tree }) {
  const texts = textsOf(names, encoding);
  if (!tree) return texts;
  const { kinds, directories, counts } = tree;
  const parents = [path, ...parentsOf(directories, prefix, encoding)];
  let at = 0;
  parents.forEach((parent, number) => {
    for (const end = at + counts[number]; at < end; at += 1) {
      // The path is the last argument of Node 18.
      texts[at] = new Dirent(texts[at], kinds[at], parent, parent);
    }
  });
  return texts;
}

function parentsOf(directories, prefix, encoding) {
  if (encoding !== "buffer") return textsOf(directories).map((path) => prefix + path);
  const front = Buffer.from(prefix);
  return textsOf(directories, encoding).map((path) => Buffer.concat([front, path]));
}

/** Lists a tree, or has Node's own function do what was asked for. */
async function start(tree, signal, path, given) {
  if (tree === null) return abortable(signal, () => originals.promises.readdir(path, given));
  return resultOf(tree, await run(signal, (control) => list(tree.path, tree.options, control)));
}

const promises = {
  async readdir(path, given) {
    const options = optionsOf(given);
    return start(treeOf(path, options, 1, true), signalOf(options), path, given);
  },
};

function readdir(path, given, callback) {
  const done = typeof given === "function" ? given : callback;
  const options = optionsOf(given);
  const tree = treeOf(path, options, 1, false);
  const signal = signalOf(options);
  if (typeof done !== "function" || (tree === null && signal === undefined)) {
    return originals.readdir(path, given, callback);
  }
  return callBack(start(tree, signal, path, given), done);
}

function readdirSync(path, given) {
  const tree = treeOf(path, optionsOf(given), 0, false);
  if (tree === null) return originals.readdirSync(path, given);
  return resultOf(tree, runSync(() => list(tree.path, tree.options, null), readdirSync));
}

module.exports = { readdir, readdirSync, promises };
