"use strict";

const { constants } = require("os");
const { resolve } = require("path");
const { getSystemErrorMap } = require("util");

const transient = new WeakSet();
/** Cached, because Node creates a new map for each call. */
let systemErrors;

/**
 * Returns the error that Node would report: `ENOENT: no such file or directory, lstat 'path'`. The
 * stack begins at the caller of `above`.
 */
function errorOf(failure, above) {
  if (failure.number === undefined) return failure;
  const error = systemError({ ...failure, path: shown(failure.path) });
  if (above) Error.captureStackTrace(error, above);
  if (failure.mayPass) transient.add(error);
  return error;
}

/** Returns the path for messages: on Windows absolute, without the prefix of `systemPathOf`. */
function shown(path) {
  if (process.platform !== "win32") return path;
  return resolve(path).replace(/^\\\\\?\\(UNC\\)?/, (_, share) => (share ? "\\\\" : ""));
}

/** Creates an error that shows its code, like Node's: `TypeError [CODE]: message`. */
function codedError(Class, code, message, fields) {
  const error = Object.assign(new Class(message), { code, ...fields });
  const hide = (key, value) =>
    Object.defineProperty(error, key, { value, writable: true, configurable: true });
  hide("name", `${Class.name} [${code}]`);
  Error.captureStackTrace(error, codedError);
  void error.stack;
  hide("name", Class.name);
  hide("toString", () => `${error.name} [${code}]: ${error.message}`);
  return error;
}

class SystemError extends Error {}

/** Returns the error of `rm` for a directory, which Node reports without a system call. */
function directoryError(path) {
  const [syscall, errno] = ["rm", constants.errno.EISDIR];
  const info = { code: "EISDIR", message: "is a directory", path, syscall, errno };
  const message = `Path is a directory: ${syscall} returned EISDIR (is a directory) ${path}`;
  return codedError(SystemError, "ERR_FS_EISDIR", message, { info, errno, syscall, path });
}

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

function abortError(signal) {
  const error = new Error("The operation was aborted", { cause: signal?.reason });
  error.name = "AbortError";
  error.code = "ABORT_ERR";
  return error;
}

module.exports = { abortError, codedError, errorOf, transient, systemError };
