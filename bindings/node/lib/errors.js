// Errors of the addon, as Node's own.
"use strict";

const { resolve } = require("path");
const { getSystemErrorMap } = require("util");

/** The names and texts of errors, of which Node makes a copy each time. */
let known;

/**
 * Makes the error that Node would of what the addon has thrown: `ENOENT: no such file or directory,
 * lstat 'path'`. Its stack begins at the caller of `above`.
 */
function errorOf(failure, above) {
  const { number, function: syscall } = failure;
  if (number === undefined) return failure;
  // On Windows the system gets full paths from Node.
  const path = process.platform === "win32" ? resolve(failure.path) : failure.path;
  const errno = -number;
  known ??= getSystemErrorMap();
  const [code, text] = known.get(errno) || ["UNKNOWN", "unknown error"];
  const error = new Error(`${code}: ${text}, ${syscall} '${path}'`);
  if (above) Error.captureStackTrace(error, above);
  return Object.assign(error, { errno, code, syscall, path });
}

/** The error of an operation that its `AbortSignal` has ended. */
function abortError(signal) {
  const error = new Error("The operation was aborted", { cause: signal.reason });
  error.name = "AbortError";
  error.code = "ABORT_ERR";
  return error;
}

module.exports = { abortError, errorOf };
