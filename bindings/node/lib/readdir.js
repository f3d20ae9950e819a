// `readdir` and `readdirSync`.
"use strict";

const { Dirent } = require("fs");
const { join } = require("path");
const originals = require("./originals.js");
const { pathOf, signalOf, threadsOf } = require("./arguments.js");
const { list } = require("./native.js");
const { callBack, run, runSync } = require("./work.js");

const [MAJOR, MINOR] = process.versions.node.split(".").map(Number);
// Node follows links to directories; with file types since this version, and never for promises.
const FOLLOWS_WITH_FILE_TYPES = MAJOR > 22 || (MAJOR === 22 && MINOR >= 13);

// About as many bytes become strings at once: a string that is kept holds those beside it.
const PIECE = 1 << 20;

const isUtf8 = (encoding) => !encoding || /^utf-?8$/i.test(encoding);
const isEncoding = (encoding) =>
  !encoding || encoding === "buffer" || Buffer.isEncoding(encoding);

/**
 * What is asked for, or null where Node's own function is called: it lists a single directory in
 * less time than the addon takes to be called, and has the errors of wrong arguments and of a tree
 * whose path is no text.
 */
function requestOf(path, given, threads, isPromise) {
  if (typeof given !== "object" || !given?.recursive) return null;
  const options = { ...given };
  const { encoding, recursive, withFileTypes: kinds } = options;
  const known = pathOf(path);
  if (recursive !== true || typeof known !== "string" || !isEncoding(encoding)) return null;
  const follow = !kinds || (FOLLOWS_WITH_FILE_TYPES && !isPromise);
  return {
    path: known,
    encoding,
    options: {
      kinds: Boolean(kinds),
      follow,
      prefix: join(known, "x").slice(0, -1),
      threads: threadsOf(options, threads),
    },
    signal: signalOf(options),
  };
}

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

function start(request) {
  const { path, options, signal } = request;
  return run(signal, (control) => list(path, options, control)).then((listed) =>
    resultOf(request, listed),
  );
}

function readdir(path, given, callback = given) {
  const request = typeof callback === "function" ? requestOf(path, given, 1, false) : null;
  if (request === null) return originals.readdir(path, given, callback);
  return callBack(start(request), callback);
}

async function readdirPromise(path, given) {
  const request = requestOf(path, given, 1, true);
  return request === null ? originals.promises.readdir(path, given) : start(request);
}

function readdirSync(path, given) {
  const request = requestOf(path, given, 0, false);
  if (request === null) return originals.readdirSync(path, given);
  const { path: known, options } = request;
  return resultOf(request, runSync(() => list(known, options, null), readdirSync));
}

module.exports = { readdir, readdirSync, promises: { readdir: readdirPromise } };
