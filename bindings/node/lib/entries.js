// Names and entries from the addon.
"use strict";

const { Dirent } = require("fs");

// About as many bytes become strings at once: a string that is kept holds those beside it.
const PIECE = 1 << 20;

const isUtf8 = (encoding) => !encoding || /^utf-?8$/i.test(encoding);
const isEncoding = (encoding) =>
  !encoding || encoding === "buffer" || Buffer.isEncoding(encoding);

/** The texts of a block, which has a NUL after each. */
function textsOf(block, encoding) {
  if (!isUtf8(encoding)) return encodedOf(block, encoding);
  const pieces = [];
  for (let from = 0; from < block.length; ) {
    let to = block.indexOf(0, from + PIECE);
    if (to < 0) to = block.length - 1;
    pieces.push(block.toString("utf8", from, to).split("\0"));
    from = to + 1;
  }
  return pieces.length === 1 ? pieces[0] : pieces.flat();
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
 * The entries of a tree with these names. `path` is that of the top, and `prefix` stands in front of
 * the paths of other directories.
 */
function direntsOf(names, { kinds, directories, counts }, { path, prefix, encoding }) {
  const entries = textsOf(names, encoding);
  const front = Buffer.from(prefix);
  const parents =
    encoding === "buffer"
      ? encodedOf(directories, encoding).map((below) => Buffer.concat([front, below]))
      : textsOf(directories).map((below) => prefix + below);
  if (directories[0] === 0) parents[0] = path;
  let at = 0;
  parents.forEach((parent, number) => {
    for (const end = at + counts[number]; at < end; at += 1) {
      // The path is the last argument of Node 18.
      entries[at] = new Dirent(entries[at], kinds[at], parent, parent);
    }
  });
  return entries;
}

module.exports = { direntsOf, isEncoding, textsOf };
