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

/** Codes and titles of the errors of Node's `cp`, by the names of curt's refusals. */
const COPY_REFUSALS = {
  "same-entry": ["CP_EINVAL", "Invalid src or dest"],
  "into-itself": ["CP_EINVAL", "Invalid src or dest"],
  "directory-over-file": ["CP_DIR_TO_NON_DIR", "Cannot overwrite non-directory with directory"],
  "file-over-directory": ["CP_NON_DIR_TO_DIR", "Cannot overwrite directory with non-directory"],
  "just-created": ["CP_EEXIST", "Target already exists"],
  "is-a-named-pipe": ["CP_FIFO_PIPE", "Cannot copy a FIFO pipe"],
  "is-a-socket": ["CP_SOCKET", "Cannot copy a socket file"],
};
const OTHER_REFUSAL = ["CP_UNKNOWN", "Cannot copy an unknown file type"];

/** Returns an error that Node reports without a system call. */
function refusalError([id, title], code, syscall, message, path) {
  const errno = constants.errno[code];
  const info = { code, message, path, syscall, errno };
  const text = `${title}: ${syscall} returned ${code} (${message}) ${path}`;
  return codedError(SystemError, `ERR_FS_${id}`, text, { info, errno, syscall, path });
}

function systemError({ number, function: syscall, path, dest, reason, refusal }) {
  const errno = -number;
  systemErrors ??= getSystemErrorMap();
  const [code, text] = systemErrors.get(errno) || ["UNKNOWN", "unknown error"];
  if (syscall === "rm") {
    return refusalError([code, "Path is a directory"], code, syscall, "is a directory", path);
  }
  if (refusal) {
    return refusalError(COPY_REFUSALS[refusal] ?? OTHER_REFUSAL, code, syscall, reason, path);
  }
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
