"use strict";

const fs = require("fs");
const { dirname, join, relative } = require("path");
const { promisify } = require("util");
const originals = require("./originals.js");
const { isOptions, pathOf, signalOf, systemPathOf, threadsOf } = require("./arguments.js");
const { copy } = require("./native.js");
const { abortable } = require("./signal.js");
const { run, runSync, settle } = require("./work.js");

const FLAGS = {
  dereference: false,
  errorOnExist: false,
  force: true,
  preserveTimestamps: false,
  verbatimSymlinks: false,
};
const { COPYFILE_FICLONE, COPYFILE_FICLONE_FORCE } = fs.constants;
const MODES = [0, COPYFILE_FICLONE, COPYFILE_FICLONE_FORCE];
const PARENTS = { recursive: true };

/** Returns the options and the tree to copy: null if Node's own function must be called. */
function requestOf(original, paths, given) {
  const [src, dest] = paths.map(pathOf);
  if (src === null || dest === null) return { options: { __proto__: null }, tree: null };
  const options = { __proto__: null, ...FLAGS, ...given };
  const { dereference, filter, recursive, verbatimSymlinks, mode = 0 } = options;
  const isTree = isOptions(given) && recursive === true && filter === undefined;
  const isText = typeof src === "string" && typeof dest === "string";
  const isPlain = Object.keys(FLAGS).every((name) => typeof options[name] === "boolean");
  const isValid = isPlain && MODES.includes(mode) && !(dereference && verbatimSymlinks);
  if (!isTree || !isText || !isValid) return { options, tree: null };
  const tree = { src, dest, flags: { ...options, mode, threads: threadsOf(options) } };
  return { options, tree: originals.isNodes(original) ? tree : null };
}

/** Returns the names beneath `src` to leave to Node's function, or null without a parent. */
function attempt({ src, dest, flags }, control) {
  return copy(systemPathOf(src), systemPathOf(dest), flags, control);
}

/** Returns the parent to create. Node refuses to copy a tree into itself before it creates one. */
function parentOf({ src, dest }, left) {
  return left === null && relative(src, dest).startsWith("..") ? dirname(dest) : undefined;
}

/** Returns the arguments for Node's function, for each name. */
function callsOf({ src, dest }, words, left) {
  const at = (name) => [join(src, name), join(dest, name), words[2]];
  return (left ?? [""]).map((name) => (name === "" ? words : at(name)));
}

async function copyTree(tree, signal, nodes, words) {
  const begin = (control) => attempt(tree, control);
  let left = await run(signal, begin);
  const parent = parentOf(tree, left);
  if (parent !== undefined) {
    await fs.promises.mkdir(parent, PARENTS);
    left = await run(signal, begin);
  }
  for (const call of callsOf(tree, words, left)) await abortable(signal, () => nodes(...call));
}

function copyTreeSync(tree, words) {
  const begin = () => attempt(tree, null);
  let left = runSync(begin, cpSync);
  const parent = parentOf(tree, left);
  if (parent !== undefined) {
    fs.mkdirSync(parent, PARENTS);
    left = runSync(begin, cpSync);
  }
  for (const call of callsOf(tree, words, left)) originals.cpSync(...call);
}

function start(tree, signal, nodes, words) {
  if (tree !== null) return copyTree(tree, signal, nodes, words);
  return abortable(signal, () => nodes(...words));
}

const promises = {
  async cp(src, dest, given) {
    const original = originals.promises.cp;
    const { options, tree } = requestOf(original, [src, dest], given);
    return start(tree, signalOf(options), original, [src, dest, given]);
  },
};

function cp(src, dest, given, callback) {
  const done = typeof given === "function" ? given : callback;
  const { options, tree } = requestOf(originals.cp, [src, dest], given === done ? {} : given);
  const signal = signalOf(options);
  if (typeof done !== "function" || (tree === null && signal === undefined)) {
    return originals.cp(src, dest, given, callback);
  }
  return settle(start(tree, signal, promisify(originals.cp), [src, dest, given]), done);
}

function cpSync(src, dest, given) {
  const { tree } = requestOf(originals.cpSync, [src, dest], given);
  if (tree === null) return originals.cpSync(src, dest, given);
  return copyTreeSync(tree, [src, dest, given]);
}

module.exports = { cp, cpSync, promises };
