"use strict";

const originals = require("./originals.js");
const { systemPathOf, treePathOf, wrongType } = require("./arguments.js");
const { direntsOf, finish, isTextOrBytes, prefixOf } = require("./entries.js");
const { codedError, errorOf } = require("./errors.js");
const { OpenTree } = require("./native.js");
const { run, runSync, settle } = require("./work.js");

const closed = () => codedError(Error, "ERR_DIR_CLOSED", "Directory handle was closed");
const concurrent = () =>
  codedError(
    Error,
    "ERR_DIR_CONCURRENT_OPERATION",
    "Cannot do synchronous work on directory handle with concurrent asynchronous operations",
  );

function checkCallback(callback) {
  if (typeof callback !== "function") throw wrongType("callback", "of type function", callback);
}

class Dir {
  #tree;
  /** The `path`, the `prefix` of paths below it, and `isBytes`: whether names are Buffers. */
  #about;
  #entries = [];
  /** To throw after the entries. */
  #error = null;
  #isEnd = false;
  #isClosed = false;
  #running = 0;
  #last = Promise.resolve();

  constructor(tree, about) {
    this.#tree = tree;
    this.#about = about;
  }

  get path() {
    return this.#about.path;
  }

  read(callback) {
    if (this.#isClosed) throw closed();
    if (callback === undefined) return this.#next();
    checkCallback(callback);
    return settle(this.#next(), callback);
  }

  readSync() {
    this.#beginSync();
    while (!this.#has()) this.#take(runSync(() => this.#tree.read(null), this.readSync));
    return this.#shift();
  }

  close(callback) {
    if (callback !== undefined) checkCallback(callback);
    const done = this.#isClosed ? Promise.reject(closed()) : this.#queue(() => this.#tree.close());
    this.#isClosed = true;
    return callback === undefined ? done : settle(done, callback);
  }

  closeSync() {
    this.#beginSync();
    this.#isClosed = true;
    this.#tree.close();
  }

  async *entries() {
    try {
      for (let entry; (entry = await this.read()) !== null; ) yield entry;
    } finally {
      await this.close();
    }
  }

  [Symbol.asyncIterator]() {
    return this.entries();
  }

  async [Symbol.asyncDispose ?? Symbol()]() {
    if (!this.#isClosed) await this.close();
  }

  [Symbol.dispose ?? Symbol()]() {
    if (!this.#isClosed) this.closeSync();
  }

  #beginSync() {
    if (this.#isClosed) throw closed();
    if (this.#running > 0) throw concurrent();
  }

  async #queue(operation) {
    this.#running += 1;
    const before = this.#last;
    let end;
    this.#last = new Promise((resolve) => (end = resolve));
    try {
      await before;
      return await operation();
    } finally {
      this.#running -= 1;
      end();
    }
  }

  async #next() {
    if (this.#running === 0 && this.#has()) return this.#shift();
    return this.#queue(async () => {
      while (!this.#has()) this.#take(await run(undefined, (control) => this.#tree.read(control)));
      return this.#shift();
    });
  }

  /** Whether the next `read` needs no call of the addon. */
  #has() {
    return this.#entries.length > 0 || this.#error !== null || this.#isEnd;
  }

  #take({ entries, failure, isEnd }) {
    this.#entries = finish(direntsOf(entries, this.#about)).reverse();
    this.#error = failure ? errorOf(failure) : null;
    this.#isEnd = isEnd;
  }

  #shift() {
    if (this.#entries.length > 0) return this.#entries.pop();
    const error = this.#error;
    this.#error = null;
    if (error !== null) throw error;
    return null;
  }
}

Object.setPrototypeOf(Dir.prototype, originals.Dir.prototype);

/** Returns null if Node's own function must be called. */
function treeOf(original, path, given) {
  const options = { __proto__: null, ...(typeof given === "object" ? given : undefined) };
  const { encoding, recursive, bufferSize = 32 } = options;
  if (recursive !== true) return null;
  const known = treePathOf(original, path);
  const isCount = Number.isInteger(bufferSize) && bufferSize > 0 && bufferSize < 2 ** 32;
  if (typeof known !== "string" || !isTextOrBytes(encoding) || !isCount) return null;
  const prefix = prefixOf(known);
  const tree = new OpenTree(systemPathOf(known), prefix);
  return { tree, about: { path: known, prefix, isBytes: encoding === "buffer" } };
}

async function start({ tree, about }) {
  await run(undefined, (control) => tree.open(control));
  return new Dir(tree, about);
}

const promises = {
  // `_` makes `length` match that of Node's function.
  async opendir(path, given, _) {
    const original = originals.promises.opendir;
    const opening = treeOf(original, path, given);
    return opening === null ? original(path, given) : start(opening);
  },
};

function opendir(path, given, callback) {
  const opening = typeof callback === "function" ? treeOf(originals.opendir, path, given) : null;
  if (opening === null) return originals.opendir(path, given, callback);
  return settle(start(opening), callback);
}

function opendirSync(path, given) {
  const opening = treeOf(originals.opendirSync, path, given);
  if (opening === null) return originals.opendirSync(path, given);
  runSync(() => opening.tree.open(null), opendirSync);
  return new Dir(opening.tree, opening.about);
}

module.exports = { opendir, opendirSync, promises };
