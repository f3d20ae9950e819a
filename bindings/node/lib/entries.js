// Names and entries from the addon.
"use strict";

const { Dirent } = require("fs");

const isUtf8 = (encoding) => !encoding || /^utf-?8$/i.test(encoding);
const isEncoding = (encoding) =>
  !encoding || encoding === "buffer" || Buffer.isEncoding(encoding);

/** The texts that the addon has found: a few strings with NULs in between, or bytes. */
function textsOf(found, encoding) {
  if (Buffer.isBuffer(found)) return encodedOf(found, encoding);
  if (found.length === 1) return found[0].split("\0");
  return found.flatMap((piece) => piece.split("\0"));
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
  const entries = textsOf(names, encoding);
  const isBytes = encoding === "buffer";
  const whole = (below) => (isBytes ? Buffer.concat([Buffer.from(prefix), below]) : prefix + below);
  const parents = textsOf(directories, isBytes ? encoding : "utf8").map((below) =>
    below.length === 0 ? path : whole(below),
  );
  let at = 0;
  parents.forEach((parent, number) => {
    for (const end = at + counts[number]; at < end; at += 1) {
      // The path is the last argument of Node 18.
      entries[at] = new Dirent(entries[at], kinds[at], parent, parent);
    }
  });
  return entries;
}

module.exports = { direntsOf, isEncoding, isUtf8, textsOf };
