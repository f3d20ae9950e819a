// Node's functions, as they were when the package was loaded, and whether they are Node's own.
"use strict";

const { spawn, spawnSync } = require("child_process");
const fs = require("fs");
const { promisify } = require("util");

/** Members of a module, which a mock may lack. */
function taken(module, path, names) {
  const missing = names.find((name) => module?.[name] === undefined);
  if (missing === undefined) return Object.fromEntries(names.map((name) => [name, module[name]]));
  const advice = "unmock fs, or mock curt-fs as well";
  throw new Error(`curt-fs cannot use a mock of fs that has no ${path}.${missing}: ${advice}`);
}

const promises = taken(fs.promises, "fs.promises", ["rm", "readdir", "opendir"]);
const names = ["rm", "rmSync", "readdir", "readdirSync", "opendir", "opendirSync", "Dir"];
const originals = taken(fs, "fs", names);
const removers = new Set([originals.rm, originals.rmSync, promises.rm]);
const openers = new Set([originals.opendir, originals.opendirSync, promises.opendir]);
/** Functions of `fs` that Node's `rm` calls, in some version or on some system. */
const BELOW_RM = ["chmod", "lstat", "readdir", "rmdir", "stat", "unlink"];

/** The functions in which a mock changes what one of Node's own does. */
function below(original) {
  if (removers.has(original)) {
    return BELOW_RM.flatMap((name) => [fs[name], fs[`${name}Sync`], fs.promises[name]]);
  }
  if (!openers.has(original)) return [];
  const { prototype } = originals.Dir;
  const members = Reflect.ownKeys(prototype);
  return members.map((key) => {
    const { value, get } = Reflect.getOwnPropertyDescriptor(prototype, key);
    return value ?? get;
  });
}

/** An internal module of Node, without a warning that users of curt-fs could not heed. */
function internal(name) {
  const before = Reflect.getOwnPropertyDescriptor(process, "noDeprecation");
  // With `--no-deprecation` it is read-only.
  Reflect.defineProperty(process, "noDeprecation", { value: true, configurable: true });
  try {
    return process.binding(name);
  } catch {
    return undefined;
  } finally {
    Reflect.deleteProperty(process, "noDeprecation");
    if (before) Reflect.defineProperty(process, "noDeprecation", before);
  }
}

const textOf = Function.prototype.call.bind(Function.prototype.toString);
/** A source text of Node, whose lines end as those of DOS in builds for Windows. */
const plain = (text) => text.replace(/\r\n/g, "\n");
/** All functions made by `promisify` have this text; their `prototype` is that of the original. */
const PROMISIFIED = String(promisify(() => {}));

/** The source text of a function, or of the one that was promisified. */
function sourceOf(value) {
  if (typeof value !== "function") return undefined;
  const text = textOf(value);
  const original = text === PROMISIFIED ? value.prototype?.constructor : value;
  return typeof original === "function" ? textOf(original) : text;
}

/** Node's source files and its binding to the system; null without `process.binding`. */
let node;

/** Whether this runtime has what `isNodes` compares. Reads it once, if it is needed. */
function canTell() {
  if (node === undefined) {
    const natives = internal("natives");
    const system = internal("fs");
    const files = ["fs", "internal/fs/dir", "internal/fs/promises"].map((name) => natives?.[name]);
    const isWhole = files.every((file) => typeof file === "string") && system;
    node = isWhole ? { files: files.map(plain), system } : null;
  }
  return node !== null;
}

/** Whether a function is Node's own, by what was found. */
const defined = new WeakMap();

/** Whether Node's files define a function. Others belong to mocks and other packages. */
function isDefined(value) {
  if (typeof value !== "function") return false;
  if (!defined.has(value)) {
    const source = plain(sourceOf(value));
    // Methods are indented.
    const lines = [`\n${source}\n`, `\n  ${source}\n`];
    defined.set(value, node.files.some((file) => lines.some((line) => file.includes(line))));
  }
  return defined.get(value);
}

/** Takes a function that replaced Node's for Node's own. */
function adopt(ours) {
  defined.set(ours, true);
}

/** The functions of the system that are no mocks, by name. */
const natives = new Map();

/** Whether Node's binding has its own functions. mock-fs replaces those, and none of `fs`. */
function isSystem(name) {
  const value = node.system[name];
  if (typeof value !== "function" || natives.get(name) === value) return true;
  if (textOf(value) !== `function ${name}() { [native code] }`) return false;
  natives.set(name, value);
  return true;
}

/** Whether it is Node's own function and works on the system, so curt can do its work. */
function isNodes(original) {
  // Only Node's own functions know the rules of `--permission`.
  if (process.permission !== undefined || !canTell()) return false;
  if (!Object.keys(node.system).every(isSystem)) return false;
  return isDefined(original) && below(original).every(isDefined);
}

module.exports = { ...originals, promises, spawn, spawnSync, adopt, canTell, isNodes, sourceOf };
