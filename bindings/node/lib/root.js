"use strict";

const { constants } = require("fs");
const { isUint8Array } = require("util").types;
const { fileURLToPath } = require("url");
const {
  booleanOf,
  optionsOf,
  outOfRange,
  pathOf,
  signalOf,
  systemPathOf,
  threadsOf,
  wrongType,
  wrongValue,
} = require("./arguments.js");
const { finishInTurns, textsOf } = require("./entries.js");
const { codedError, systemError } = require("./errors.js");
const { Control, openRoot, supportsFlags } = require("./native.js");
const { FileStats } = require("./stat.js");
const { run } = require("./work.js");

const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND } = constants;

/** The flags that `fs.open` accepts as strings. As in Node, `x` may precede the letter. */
const FLAGS = {
  r: O_RDONLY,
  "r+": O_RDWR,
  w: O_TRUNC | O_CREAT | O_WRONLY,
  "w+": O_TRUNC | O_CREAT | O_RDWR,
  a: O_APPEND | O_CREAT | O_WRONLY,
  "a+": O_APPEND | O_CREAT | O_RDWR,
};
for (const name of ["w", "w+", "a", "a+"]) {
  const exclusive = FLAGS[name] | O_EXCL;
  FLAGS[name.replace(/^./, "$&x")] = exclusive;
  FLAGS[`x${name}`] = exclusive;
}

function flagsOf(flags) {
  const number = typeof flags === "string" && Object.hasOwn(FLAGS, flags) ? FLAGS[flags] : flags;
  if (!Number.isInteger(number)) throw wrongValue("flags", "is invalid", flags);
  if (number === (number | 0) && supportsFlags(number)) return number;
  throw wrongValue("flags", "is unsupported", flags);
}

function modeOf(mode) {
  if (typeof mode !== "number") throw wrongType("mode", "of type number", mode);
  if (Number.isInteger(mode) && mode >= 0 && mode < 2 ** 32) return mode;
  throw outOfRange("mode", "an integer >= 0 && <= 4294967295", mode);
}

/** Returns a path argument, or throws. An empty path fails later, as missing. */
function pathBeneath(path, name = "path") {
  const isText = typeof path === "string" || isUint8Array(path);
  const known = isText && path.length === 0 ? "" : pathOf(path);
  if (known !== null) return known;
  const expected = "string, Uint8Array, or URL without null bytes";
  if (isText) throw wrongValue(name, `must be a ${expected}`, path);
  if (path instanceof URL) fileURLToPath(path);
  throw wrongType(name, "of type string or an instance of Buffer or URL", path);
}

async function settled(promise, path, dest) {
  try {
    return await promise;
  } catch (failure) {
    if (failure.number === undefined) throw failure;
    throw systemError({ ...failure, path: path ?? failure.path, dest });
  }
}

const shown = (path) => path && Buffer.from(path).toString();

/** Starts a short operation, without waiting for a slot in the pool. */
function start(begin, path, dest) {
  return settled(begin(new Control()), shown(path), shown(dest));
}

const KEY = Symbol("key");

class Root {
  #opened;

  constructor(opened, key) {
    if (key !== KEY) throw codedError(TypeError, "ERR_ILLEGAL_CONSTRUCTOR", "Illegal constructor");
    this.#opened = opened;
  }

  static async open(path, given) {
    const known = pathBeneath(path);
    const options = optionsOf(given, "inRoot", "strict");
    const how = { inRoot: booleanOf(options, "inRoot"), strict: booleanOf(options, "strict") };
    const full = systemPathOf(known);
    return new Root(await start((control) => openRoot(full, how, control), known), KEY);
  }

  get #root() {
    if (this.#opened !== null) return this.#opened;
    throw codedError(Error, "ERR_DIR_CLOSED", "Directory handle was closed");
  }

  async open(path, flags, mode) {
    const known = pathBeneath(path);
    const words = [known, flagsOf(flags ?? "r"), modeOf(mode ?? 0o666)];
    return start((control) => this.#root.open(...words, control), known);
  }

  async openRoot(path) {
    const known = pathBeneath(path);
    return new Root(await start((control) => this.#root.openRoot(known, control), known), KEY);
  }

  async readdir(path) {
    const known = pathBeneath(path);
    const names = await start((control) => this.#root.readdir(known, control), known);
    return finishInTurns(textsOf(names));
  }

  async stat(path) {
    const known = pathBeneath(path);
    const numbers = await start((control) => this.#root.stat(known, true, control), known);
    return new FileStats(numbers, 0);
  }

  async lstat(path) {
    const known = pathBeneath(path);
    const numbers = await start((control) => this.#root.stat(known, false, control), known);
    return new FileStats(numbers, 0);
  }

  async readlink(path) {
    const known = pathBeneath(path);
    return start((control) => this.#root.readlink(known, control), known);
  }

  async mkdir(path, given) {
    const known = pathBeneath(path);
    const options = optionsOf(given, "mode", "recursive");
    const how = [booleanOf(options, "recursive"), modeOf(options.mode ?? 0o777)];
    // Errors name the directory that failed, not `path`.
    const made = await settled(this.#root.mkdir(known, ...how, new Control()));
    return made ?? undefined;
  }

  async rename(from, to) {
    const paths = [pathBeneath(from, "oldPath"), pathBeneath(to, "newPath")];
    return start((control) => this.#root.rename(...paths, control), ...paths);
  }

  async symlink(target, path) {
    const paths = [pathBeneath(target, "target"), pathBeneath(path)];
    return start((control) => this.#root.symlink(...paths, control), ...paths);
  }

  async link(existing, path) {
    const paths = [pathBeneath(existing, "existingPath"), pathBeneath(path, "newPath")];
    return start((control) => this.#root.link(...paths, control), ...paths);
  }

  async unlink(path) {
    const known = pathBeneath(path);
    return start((control) => this.#root.unlink(known, control), known);
  }

  async rmdir(path) {
    const known = pathBeneath(path);
    return start((control) => this.#root.rmdir(known, control), known);
  }

  async rm(path, given) {
    const known = pathBeneath(path);
    const options = optionsOf(given, "force", "recursive", "signal", "threads");
    const how = {
      recursive: booleanOf(options, "recursive"),
      force: booleanOf(options, "force"),
      threads: threadsOf(options),
    };
    // The removal may wait for a slot, so it keeps a handle that survives closing the root.
    const handle = this.#root.duplicate();
    try {
      return await run(signalOf(options), (control) => settled(handle.rm(known, how, control)));
    } finally {
      handle.close();
    }
  }

  close() {
    this.#opened?.close();
    this.#opened = null;
  }
}

function define(symbol, value) {
  if (symbol === undefined) return;
  Object.defineProperty(Root.prototype, symbol, { value, writable: true, configurable: true });
}

define(Symbol.dispose, Root.prototype.close);
define(Symbol.asyncDispose, async function () {
  this.close();
});

module.exports = { Root };
