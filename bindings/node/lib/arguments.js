"use strict";

const { isArray } = Array;
const { basename, toNamespacedPath } = require("path");
const {
  inspect,
  promisify,
  types: { isUint8Array },
} = require("util");
const { fileURLToPath } = require("url");
const { codedError } = require("./errors.js");
const { MOST_THREADS } = require("./native.js");
const { isNodes } = require("./originals.js");

/** Returns the path as a string or Buffer, or null if no file can have it. */
function pathOf(path) {
  if (typeof path === "string") return path === "" || path.includes("\0") ? null : path;
  if (isUint8Array(path)) {
    // Another thread may write to a shared array.
    const bytes = Buffer.from(path);
    return bytes.length === 0 || bytes.includes(0) ? null : bytes;
  }
  // Do not use `instanceof URL`, which fails for URLs of other realms.
  if (typeof path !== "object") return null;
  try {
    return pathOf(fileURLToPath(path));
  } catch {
    return null;
  }
}

/**
 * Returns the path for the system: on Windows an absolute path with the prefix `\\?\`, as in Node.
 * Without the prefix, `name.` would mean `name`, and `nul` a device.
 */
function systemPathOf(known) {
  return process.platform === "win32" ? toNamespacedPath(known.toString()) : known;
}

function treePathOf(original, path) {
  return isNodes(original) ? pathOf(path) : null;
}

/** Returns a path, or lets Node's function `original` throw the error for an invalid one. */
function pathFor(original, path) {
  const known = pathOf(path);
  if (known !== null) return known;
  original(path);
  throw wrongType("path", "of type string or an instance of Buffer or URL", path);
}

function wrongType(name, expected, value) {
  const kind = name.includes(".") ? "property" : "argument";
  const message = `The "${name}" ${kind} must be ${expected}. ${received(value)}`;
  return codedError(TypeError, "ERR_INVALID_ARG_TYPE", message);
}

function wrongValue(name, reason, value) {
  const kind = name.includes(".") ? "property" : "argument";
  const text = inspect(value);
  const shown = text.length > 128 ? `${text.slice(0, 128)}...` : text;
  const message = `The ${kind} '${name}' ${reason}. Received ${shown}`;
  return codedError(TypeError, "ERR_INVALID_ARG_VALUE", message);
}

function outOfRange(name, range, value) {
  const shown = inspect(value);
  const message = `The value of "${name}" is out of range. It must be ${range}. Received ${shown}`;
  return codedError(RangeError, "ERR_OUT_OF_RANGE", message);
}

/**
 * Returns the `Received …` part of an error message, which varies by Node version. So it provokes
 * an error of Node: `basename` accepts only strings, `promisify` only functions.
 */
function received(value) {
  try {
    return typeof value === "function" ? basename(value) : promisify(value);
  } catch ({ message }) {
    return message.slice(message.indexOf("Received"));
  }
}

function isOptions(given) {
  return given === undefined || (typeof given === "object" && given !== null && !isArray(given));
}

/** Copies the own properties of options, for a function that Node lacks, and refuses others. */
function optionsOf(given, ...names) {
  if (!isOptions(given)) throw wrongType("options", "of type object", given);
  const options = { __proto__: null, ...given };
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return options;
  throw wrongValue(`options.${unknown}`, "is unknown", options[unknown]);
}

function booleanOf(options, name) {
  const { [name]: value = false } = options;
  if (typeof value !== "boolean") throw wrongType(`options.${name}`, "of type boolean", value);
  return value;
}

/** Returns an integer of at least `least`, or undefined. */
function countOf(options, name, least) {
  const { [name]: value } = options;
  if (value === undefined) return undefined;
  if (typeof value !== "number") throw wrongType(`options.${name}`, "of type number", value);
  if (Number.isInteger(value) && value >= least && value < 2 ** 32) return value;
  throw outOfRange(`options.${name}`, `an integer >= ${least} && <= 4294967295`, value);
}

function functionOf(options, name) {
  const { [name]: value } = options;
  if (value === undefined || typeof value === "function") return value;
  throw wrongType(`options.${name}`, "of type function", value);
}

function excludeOf({ exclude = [] }) {
  const patterns = typeof exclude === "string" ? [exclude] : exclude;
  if (isArray(patterns) && patterns.every((pattern) => typeof pattern === "string")) {
    return patterns;
  }
  throw wrongType("options.exclude", "of type string or an array of strings", exclude);
}

/** Calls `make`, which fails only for the globs of `exclude`. */
function withGlobs({ exclude }, make) {
  try {
    return make();
  } catch ({ message }) {
    throw wrongValue("options.exclude", `has an ${message}`, exclude);
  }
}

function threadsOf({ threads }) {
  if (threads === undefined || threads === "auto") return 0;
  if (typeof threads !== "number") {
    throw wrongType("options.threads", 'of type number or "auto"', threads);
  }
  if (Number.isInteger(threads) && threads >= 1 && threads <= MOST_THREADS) return threads;
  throw outOfRange("options.threads", `an integer >= 1 && <= ${MOST_THREADS}`, threads);
}

function signalOf({ signal }) {
  const isSignal = typeof signal === "object" && signal !== null && "aborted" in signal;
  if (signal !== undefined && !isSignal) {
    throw wrongType("options.signal", "an instance of AbortSignal", signal);
  }
  return signal;
}

module.exports = {
  booleanOf,
  countOf,
  excludeOf,
  functionOf,
  isOptions,
  optionsOf,
  outOfRange,
  pathFor,
  pathOf,
  signalOf,
  systemPathOf,
  threadsOf,
  treePathOf,
  withGlobs,
  wrongType,
  wrongValue,
};
