// Node's functions as they were when this package was loaded, and a check that they are not mocks.
//
// If `fs` is mocked, curt must not bypass the mock. A function is Node's own if its source text
// occurs in Node's source files, in `process.binding("natives")`. mock-fs instead replaces Node's
// binding to the system, which is checked, too.
"use strict";

const { spawn, spawnSync } = require("child_process");
const fs = require("fs");
const { promisify } = require("util");

function functionsOf(module, path, names) {
  const missing = names.find((name) => module?.[name] === undefined);
  if (missing === undefined) return Object.fromEntries(names.map((name) => [name, module[name]]));
  const advice = "unmock fs, or mock curt-fs as well";
  throw new Error(`curt-fs cannot use a mock of fs that has no ${path}.${missing}: ${advice}`);
}

const promises = functionsOf(fs.promises, "fs.promises", ["rm", "readdir", "opendir", "cp"]);
const names = ["cp", "cpSync", "rm", "rmSync", "readdir", "readdirSync", "opendir", "opendirSync"];
const originals = functionsOf(fs, "fs", [...names, "Dir"]);
const copiers = new Set([originals.cp, originals.cpSync, promises.cp]);
const removers = new Set([originals.rm, originals.rmSync, promises.rm]);
const openers = new Set([originals.opendir, originals.opendirSync, promises.opendir]);
/** Functions that Node's `rm` calls in some version or on some system. */
const BELOW_RM = ["chmod", "lstat", "readdir", "rmdir", "stat", "unlink"];
const BELOW_CP = ["chmod", "copyFile", "lstat", "mkdir", "opendir", "readlink", "stat", "symlink"];
BELOW_CP.push("unlink", "utimes");

/** Returns the functions whose mocks would change the behavior of `original`. */
function calleesOf(original) {
  const below = removers.has(original) ? BELOW_RM : copiers.has(original) ? BELOW_CP : null;
  if (below) return below.flatMap((name) => [fs[name], fs[`${name}Sync`], fs.promises[name]]);
  if (!openers.has(original)) return [];
  const { prototype } = originals.Dir;
  const members = Reflect.ownKeys(prototype);
  return members.map((key) => {
    const { value, get } = Reflect.getOwnPropertyDescriptor(prototype, key);
    return value ?? get;
  });
}

/** Returns a binding of Node, without the warning of its deprecation. */
function internal(name) {
  const before = Reflect.getOwnPropertyDescriptor(process, "noDeprecation");
  // Assignment would fail: the property is read-only with `--no-deprecation`.
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
/** Replaces CRLF, which the sources in Node for Windows contain, with LF. */
const plain = (text) => text.replace(/\r\n/g, "\n");
/** The source text of all functions made by `promisify`. */
const PROMISIFIED = String(promisify(() => {}));

function sourceOf(value) {
  if (typeof value !== "function") return undefined;
  const text = textOf(value);
  const original = text === PROMISIFIED ? value.prototype?.constructor : value;
  return typeof original === "function" ? textOf(original) : text;
}

/** Node's source files and its binding to the system. Null without `process.binding`. */
let node;

function canVerify() {
  if (node === undefined) {
    const natives = internal("natives");
    const system = internal("fs");
    const files = ["fs", "internal/fs/dir", "internal/fs/promises"].map((name) => natives?.[name]);
    const isWhole = files.every((file) => typeof file === "string") && system;
    node = isWhole ? { files: files.map(plain), system } : null;
  }
  return node !== null;
}

const defined = new WeakMap();

function isDefined(value) {
  if (typeof value !== "function") return false;
  if (!defined.has(value)) {
    const source = plain(sourceOf(value));
    const lines = [`\n${source}\n`, `\n  ${source}\n`];
    defined.set(value, node.files.some((file) => lines.some((line) => file.includes(line))));
  }
  return defined.get(value);
}

/** Makes a function of curt count as Node's own. */
function adopt(ours) {
  defined.set(ours, true);
}

const natives = new Map();

function isSystem(name) {
  const value = node.system[name];
  if (typeof value !== "function" || natives.get(name) === value) return true;
  if (textOf(value) !== `function ${name}() { [native code] }`) return false;
  natives.set(name, value);
  return true;
}

/** Whether a function is Node's own and would use the real filesystem. */
function isNodes(original) {
  // Never replace Node's functions under `--permission`, because only they enforce it.
  if (process.permission !== undefined || !canVerify()) return false;
  if (!Object.keys(node.system).every(isSystem)) return false;
  return isDefined(original) && calleesOf(original).every(isDefined);
}

module.exports = { ...originals, promises, spawn, spawnSync, adopt, canVerify, isNodes, sourceOf };
