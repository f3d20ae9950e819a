// Converts names and entries of the addon. Generators let the event loop run between their steps.
"use strict";

const { Dirent } = require("fs");
const { join } = require("path");
const { performance } = require("perf_hooks");
const { setImmediate } = require("timers/promises");
const { abortError } = require("./errors.js");

/** Other encodings are left to Node, which opens subdirectories by their converted names. */
const isTextOrBytes = (encoding) =>
  !encoding || encoding === "buffer" || /^utf-?8$/i.test(encoding);

const prefixOf = (path) => join(path, "x").slice(0, -1);


/** The longest time that a promise form blocks the event loop, in milliseconds. */
const TURN = 5;

function finish(steps) {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

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

/** Bytes to convert in one step, approximately. */
const PIECE = 1 << 16;

function* partsOf(found, isBytes) {
  for (let from = 0, to; from < found.length; from = to + 1) {
    to = found.indexOf(0, Math.min(from + PIECE, found.length - 1));
    if (isBytes) yield bytesIn(found.subarray(from, to + 1));
    else yield found.toString("utf8", from, to).split("\0");
  }
}

function bytesIn(piece) {
  const texts = [];
  for (let from = 0, to; from < piece.length; from = to + 1) {
    to = piece.indexOf(0, from);
    texts.push(Buffer.from(piece.subarray(from, to)));
  }
  return texts;
}

function* textsOf(found, isBytes) {
  const texts = [];
  for (const part of partsOf(found, isBytes)) {
    for (const text of part) texts.push(text);
    yield;
  }
  return texts;
}

/** Makes `Dirent` objects. `path` is the top; paths of directories below it begin with `prefix`. */
function* direntsOf({ names, kinds, directories, counts }, { path, prefix, isBytes }) {
  const whole = (below) => (isBytes ? Buffer.concat([Buffer.from(prefix), below]) : prefix + below);
  const belows = yield* textsOf(directories, isBytes);
  const parents = belows.map((below) => (below.length === 0 ? path : whole(below)));
  const entries = new Array(kinds.length);
  let [at, number, end] = [0, 0, counts[0]];
  for (const part of partsOf(names, isBytes)) {
    for (const name of part) {
      while (at === end) end += counts[(number += 1)];
      // Node 18 takes the path from the last argument.
      entries[at] = new Dirent(name, kinds[at], parents[number], parents[number]);
      at += 1;
    }
    yield;
  }
  return entries;
}

module.exports = { direntsOf, finish, finishInTurns, isTextOrBytes, prefixOf, textsOf };
