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
/** The functions that `rm` calls, in some versions of Node as `fs` has them then. */
const below = () => [fs.rmdir, fs.rmdirSync, fs.unlink, fs.unlinkSync];

/** An internal module of Node, without a warning that users of curt-fs could not heed. */
function internal(name) {
  const { noDeprecation } = process;
  process.noDeprecation = true;
  try {
    return process.binding(name);
  } catch {
    // With `--permission`, whose rules only Node's own functions know.
    return {};
  } finally {
    process.noDeprecation = noDeprecation;
  }
}

const textOf = Function.prototype.call.bind(Function.prototype.toString);
/** The text of all promisified functions. They have the prototype of the function they call. */
const PROMISIFIED = String(promisify(() => {}));

/** The source text of a function, or of the one that was promisified. */
function sourceOf(value) {
  const text = typeof value === "function" ? textOf(value) : String(value);
  return text === PROMISIFIED ? textOf(value.prototype.constructor) : text;
}

const natives = internal("natives");
const files = ["fs", "internal/fs/dir", "internal/fs/promises"].map((name) => natives[name] ?? "");
const isDefined = (value) => files.some((file) => file.includes(`\n${sourceOf(value)}\n`));
/** Those that Node's files define: others belong to mocks and other packages. */
const own = new Set(
  [...Object.values(originals), ...Object.values(promises), ...below()].filter(isDefined),
);
const system = internal("fs");

/**
 * Whether it is Node's own function and works on the system, so curt can do its work. mock-fs
 * leaves the functions of `fs` as they are, and replaces those of the system.
 */
function isNodes(original) {
  if (!own.has(original) || !below().every((value) => own.has(value))) return false;
  return textOf(system.rmdir) === "function rmdir() { [native code] }";
}

module.exports = { ...originals, promises, spawn, spawnSync, isNodes, sourceOf };
