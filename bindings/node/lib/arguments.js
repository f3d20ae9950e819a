// Checks arguments. Anything else goes to Node's function, which reports the error.
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

/** The path as text or bytes; null if it is none, or one that no file can have. */
function pathOf(path) {
  if (typeof path === "string") return path === "" || path.includes("\0") ? null : path;
  if (isUint8Array(path)) {
    // A copy first: other threads may write to what they share.
    const bytes = Buffer.from(path);
    return bytes.length === 0 || bytes.includes(0) ? null : bytes;
  }
  // Of any realm.
  if (typeof path !== "object") return null;
  try {
    return pathOf(fileURLToPath(path));
  } catch {
    return null;
  }
}

/**
 * A path as Node passes it to the system. On Windows that is a full one, behind `\\?\`: its names
 * are taken literally. Otherwise `name.` would be `name`, and `nul` a device.
 */
function systemPathOf(known) {
  return process.platform === "win32" ? toNamespacedPath(known.toString()) : known;
}

/** The path if curt does the work; null if Node's function is called. */
function treePathOf(original, path) {
  return isNodes(original) ? pathOf(path) : null;
}

/**
 * The path, where curt alone has the function. What is wrong with a path is the error of Node's
 * `original`, another function that takes one.
 */
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
 * `Received …`, as this version of Node describes a value. Takes the text from an error of Node:
 * `basename` accepts only strings, `promisify` only functions.
 */
function received(value) {
  try {
    return typeof value === "function" ? basename(value) : promisify(value);
  } catch ({ message }) {
    return message.slice(message.indexOf("Received"));
  }
}

/** Whether Node takes these as options. */
function isOptions(given) {
  return given === undefined || (typeof given === "object" && given !== null && !isArray(given));
}

/** The options of a function that Node does not have. As for Node, inherited ones do not count. */
function optionsOf(given) {
  if (!isOptions(given)) throw wrongType("options", "of type object", given);
  return { __proto__: null, ...given };
}

/** A yes or no among options. */
function booleanOf(options, name) {
  const { [name]: value = false } = options;
  if (typeof value !== "boolean") throw wrongType(`options.${name}`, "of type boolean", value);
  return value;
}

/** How many threads, for the addon: 0 lets it decide. */
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
  isOptions,
  optionsOf,
  outOfRange,
  pathFor,
  pathOf,
  signalOf,
  systemPathOf,
  threadsOf,
  treePathOf,
  wrongType,
  wrongValue,
};
