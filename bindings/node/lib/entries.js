// Names and entries from the addon.
"use strict";

const { Dirent } = require("fs");

const isUtf8 = (encoding) => !encoding || /^utf-?8$/i.test(encoding);
const isEncoding = (encoding) =>
  !encoding || encoding === "buffer" || Buffer.isEncoding(encoding);

/** Yields some of the texts that the addon has found: strings with NULs in between, or bytes. */
function* partsOf(found, encoding) {
  if (Buffer.isBuffer(found)) yield encodedOf(found, encoding);
  else for (const piece of found) yield piece.split("\0");
}

/** All of the texts. */
function textsOf(found, encoding) {
  const parts = [...partsOf(found, encoding)];
  return parts.length === 1 ? parts[0] : parts.flat();
}

function encodedOf(block, encoding) {
  const texts = [];
  for (let from = 0; from < block.length; ) {
    const to = block.indexOf(0, from);
    const bytes = block.subarray(from, to);
    texts.push(encoding === "buffer" ? Buffer.from(bytes) : bytes.toString(encoding));
    from = to + 1;
  }
  return texts;
}

/**
 * The entries of a tree with these names. `path` is that of the top; `prefix` stands in front of
 * the paths of other directories.
 */
function direntsOf(names, { kinds, directories, counts }, { path, prefix, encoding }) {
  const isBytes = encoding === "buffer";
  const whole = (below) => (isBytes ? Buffer.concat([Buffer.from(prefix), below]) : prefix + below);
  const parents = textsOf(directories, isBytes ? encoding : "utf8").map((below) =>
    below.length === 0 ? path : whole(below),
  );
  const entries = new Array(kinds.length);
  let [at, number, end] = [0, 0, counts[0]];
  // A part of the names at a time: those of large trees take much memory.
  for (const part of partsOf(names, encoding)) {
    for (const name of part) {
      while (at === end) end += counts[(number += 1)];
      // The path is the last argument of Node 18.
      entries[at] = new Dirent(name, kinds[at], parents[number], parents[number]);
      at += 1;
    }
  }
  return entries;
}

module.exports = { direntsOf, isEncoding, isUtf8, textsOf };
