"use strict";

const { promises, Stats } = require("fs");
const { isUint8Array } = require("util").types;
const { optionsOf, pathOf, signalOf, systemPathOf, wrongType } = require("./arguments.js");
const { abortError, errorOf } = require("./errors.js");
const { statMany: statBlock } = require("./native.js");
const { run } = require("./work.js");

/** The most paths per call of the addon. The event loop runs between calls. */
const MOST = 1024;
const WIDTH = 14;
/** No system allows a path this long. Node's function reports the error of a longer one. */
const LONGEST = 1 << 16;
const NUL = Buffer.from([0]);

/** Newer versions of Node create dates on access. */
const hasLazyDates = "atime" in Stats.prototype;

/** Fills in an `fs.Stats`. Node's own constructor is deprecated. */
function FileStats(numbers, at) {
  this.dev = numbers[at];
  this.mode = numbers[at + 1];
  this.nlink = numbers[at + 2];
  this.uid = numbers[at + 3];
  this.gid = numbers[at + 4];
  this.rdev = numbers[at + 5];
  this.blksize = numbers[at + 6];
  this.ino = numbers[at + 7];
  this.size = numbers[at + 8];
  this.blocks = numbers[at + 9];
  this.atimeMs = numbers[at + 10];
  this.mtimeMs = numbers[at + 11];
  this.ctimeMs = numbers[at + 12];
  this.birthtimeMs = numbers[at + 13];
  if (hasLazyDates) return;
  this.atime = dateOf(this.atimeMs);
  this.mtime = dateOf(this.mtimeMs);
  this.ctime = dateOf(this.ctimeMs);
  this.birthtime = dateOf(this.birthtimeMs);
}
FileStats.prototype = Stats.prototype;

const dateOf = (milliseconds) => new Date(Math.round(milliseconds));

function blockOf(paths) {
  if (paths.every((path) => typeof path === "string")) return `${paths.join("\0")}\0`;
  return Buffer.concat(paths.flatMap((path) => [Buffer.from(path), NUL]));
}

async function statSome(paths, follow, signal) {
  const syscall = follow ? "stat" : "lstat";
  const known = paths.map((path) => {
    const known = pathOf(path) ?? "";
    return known.length > LONGEST ? "" : systemPathOf(known);
  });
  const numbers = await run(signal, (control) => statBlock(blockOf(known), follow, control));
  const results = [];
  for (const [index, path] of paths.entries()) {
    const at = index * WIDTH;
    const number = numbers[at + 1];
    if (!Number.isNaN(numbers[at])) {
      results.push(new FileStats(numbers, at));
    } else if (number === 0) {
      results.push(await promises[syscall](path).catch((error) => error));
      if (signal?.aborted) throw abortError(signal);
    } else {
      const text = Buffer.from(known[index]).toString();
      results.push(errorOf({ number, function: syscall, path: text }));
    }
  }
  return results;
}

async function statMany(paths, given) {
  const options = optionsOf(given, "followSymlinks", "signal");
  const { followSymlinks = true } = options;
  const signal = signalOf(options);
  if (typeof followSymlinks !== "boolean") {
    throw wrongType("options.followSymlinks", "of type boolean", followSymlinks);
  }
  // Refuse a single path, which is iterable, too.
  const isText = typeof paths === "string" || isUint8Array(paths);
  if (isText || typeof paths?.[Symbol.iterator] !== "function") {
    throw wrongType("paths", "an instance of Iterable", paths);
  }
  const all = [...paths];
  const results = [];
  for (let from = 0; from < all.length; from += MOST) {
    results.push(...(await statSome(all.slice(from, from + MOST), followSymlinks, signal)));
  }
  return results;
}

module.exports = { FileStats, statMany };
