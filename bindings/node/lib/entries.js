// Names and entries from the addon.
"use strict";

const { Dirent } = require("fs");
const { join } = require("path");
const { performance } = require("perf_hooks");
const { setImmediate } = require("timers/promises");
const { abortError } = require("./errors.js");

/** Whether it is UTF-8 or bytes. In another one Node goes on below what names are then. */
const isTextOrBytes = (encoding) =>
  !encoding || encoding === "buffer" || /^utf-?8$/i.test(encoding);

/** Prefix of the paths in a directory, as `path.join` forms them. */
const prefixOf = (path) => join(path, "x").slice(0, -1);

// What is made of many names is made in steps: a generator yields between them.

/** How long the steps for a promise may keep the event loop, in milliseconds. */
const TURN = 5;

/** Takes all steps. */
function finish(steps) {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Takes all steps, in several turns of the event loop, until the signal is aborted. */
async function finishInTurns(steps, signal) {
  for (let end = performance.now() + TURN; ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < end) continue;
    await setImmediate();
    if (signal?.aborted) throw abortError(signal);
    end = performance.now() + TURN;
  }
}

/** About how many bytes become texts in one step. */
const PIECE = 1 << 16;

/** Yields some of the texts that the addon has found, which have a NUL after each. */
function* partsOf(found, isBytes) {
  for (let from = 0, to; from < found.length; from = to + 1) {
    to = found.indexOf(0, Math.min(from + PIECE, found.length - 1));
    if (isBytes) yield bytesIn(found.subarray(from, to + 1));
    else yield found.toString("utf8", from, to).split("\0");
  }
}

/** A copy of each of the texts in a piece. */
function bytesIn(piece) {
  const texts = [];
  for (let from = 0, to; from < piece.length; from = to + 1) {
    to = piece.indexOf(0, from);
    texts.push(Buffer.from(piece.subarray(from, to)));
  }
  return texts;
}

/** Makes all of the texts. */
function* textsOf(found, isBytes) {
  const texts = [];
  for (const part of partsOf(found, isBytes)) {
    for (const text of part) texts.push(text);
    yield;
  }
  return texts;
}

/**
 * Makes the entries of a tree. `path` is that of the top; `prefix` stands in front of the paths of
 * other directories.
 */
function* direntsOf({ names, kinds, directories, counts }, { path, prefix, isBytes }) {
  const whole = (below) => (isBytes ? Buffer.concat([Buffer.from(prefix), below]) : prefix + below);
  const belows = yield* textsOf(directories, isBytes);
  const parents = belows.map((below) => (below.length === 0 ? path : whole(below)));
  const entries = new Array(kinds.length);
  let [at, number, end] = [0, 0, counts[0]];
  for (const part of partsOf(names, isBytes)) {
    for (const name of part) {
      while (at === end) end += counts[(number += 1)];
      // The path is the last argument of Node 18.
      entries[at] = new Dirent(name, kinds[at], parents[number], parents[number]);
      at += 1;
    }
    yield;
  }
  return entries;
}

module.exports = { direntsOf, finish, finishInTurns, isTextOrBytes, prefixOf, textsOf };
