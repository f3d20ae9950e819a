// What callers pass. Where it is nothing that curt takes, Node's own function is called with it, and
// says what is wrong.
"use strict";

const { inspect } = require("util");
const { fileURLToPath } = require("url");

/** The path as text or bytes; null if it is none, or one that no file can have. */
function pathOf(path) {
  if (typeof path === "string") return path === "" || path.includes("\0") ? null : path;
  if (Buffer.isBuffer(path)) return path.length === 0 || path.includes(0) ? null : path;
  if (!(path instanceof URL)) return null;
  try {
    return pathOf(fileURLToPath(path));
  } catch {
    return null;
  }
}

/** The error of a wrong argument that Node's own functions do not have. */
function invalid(Class, code, message) {
  const error = new Class(message);
  error.code = code;
  return error;
}

function wrongType(name, expected, value) {
  const message = `The "${name}" property must be ${expected}. Received ${inspect(value)}`;
  return invalid(TypeError, "ERR_INVALID_ARG_TYPE", message);
}

/** How many threads, for the addon: 0 lets it decide. */
function threadsOf({ threads }, otherwise) {
  if (threads === undefined) return otherwise;
  if (threads === "auto") return 0;
  if (typeof threads !== "number") {
    throw wrongType("options.threads", 'of type number or "auto"', threads);
  }
  if (Number.isInteger(threads) && threads >= 1 && threads <= 1024) return threads;
  const message =
    `The value of "options.threads" is out of range. It must be an integer >= 1 && <= 1024. ` +
    `Received ${inspect(threads)}`;
  throw invalid(RangeError, "ERR_OUT_OF_RANGE", message);
}

function signalOf({ signal }) {
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw wrongType("options.signal", "an instance of AbortSignal", signal);
  }
  return signal;
}

module.exports = { pathOf, signalOf, threadsOf };
