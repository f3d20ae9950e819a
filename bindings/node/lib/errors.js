// Errors of the addon, as Node's own.
"use strict";

const { constants } = require("os");
const { resolve } = require("path");
const { getSystemErrorMap } = require("util");

/** The errors after which another attempt may succeed. */
const passing = new WeakSet();
/** Names and texts of the errors of the system: Node makes a new map for each call. */
let systemErrors;

/**
 * Makes the error that Node would of what the addon has thrown: `ENOENT: no such file or directory,
 * lstat 'path'`. Its stack begins at the caller of `above`.
 */
function errorOf(failure, above) {
  if (failure.number === undefined) return failure;
  const error = systemError({ ...failure, path: shown(failure.path) });
  if (above) Error.captureStackTrace(error, above);
  if (failure.mayPass) passing.add(error);
  return error;
}

/** A path in errors: on Windows the full one, without what `systemPathOf` puts in front. */
function shown(path) {
  if (process.platform !== "win32") return path;
  return resolve(path).replace(/^\\\\\?\\(UNC\\)?/, (_, share) => (share ? "\\\\" : ""));
}

/** An error that shows its code, as Node's do: `TypeError [CODE]: message`. */
function codedError(Class, code, message, fields) {
  const error = Object.assign(new Class(message), { code, ...fields });
  const hide = (key, value) =>
    Object.defineProperty(error, key, { value, writable: true, configurable: true });
  hide("name", `${Class.name} [${code}]`);
  Error.captureStackTrace(error, codedError);
  // The first access writes the name into it.
  void error.stack;
  hide("name", Class.name);
  hide("toString", () => `${error.name} [${code}]: ${error.message}`);
  return error;
}

/** Node does not export its own. */
class SystemError extends Error {}

/** The error of `rm` for a directory, which no function of the system returned. */
function directoryError(path) {
  const [syscall, errno] = ["rm", constants.errno.EISDIR];
  const info = { code: "EISDIR", message: "is a directory", path, syscall, errno };
  const message = `Path is a directory: ${syscall} returned EISDIR (is a directory) ${path}`;
  return codedError(SystemError, "ERR_FS_EISDIR", message, { info, errno, syscall, path });
}

/** The error of a function of the system that was called with one path or two. */
function systemError({ number, function: syscall, path, dest, reason }) {
  if (syscall === "rm") return directoryError(path);
  const errno = -number;
  systemErrors ??= getSystemErrorMap();
  const [code, text] = systemErrors.get(errno) || ["UNKNOWN", "unknown error"];
  const paths = dest === undefined ? `'${path}'` : `'${path}' -> '${dest}'`;
  const error = new Error(`${code}: ${reason ?? text}, ${syscall} ${paths}`);
  Object.assign(error, { errno, code, syscall, path });
  return dest === undefined ? error : Object.assign(error, { dest });
}

/** The error of an operation that was ended early, mostly by its `AbortSignal`. */
function abortError(signal) {
  const error = new Error("The operation was aborted", { cause: signal?.reason });
  error.name = "AbortError";
  error.code = "ABORT_ERR";
  return error;
}

module.exports = { abortError, codedError, errorOf, passing, systemError };
