// Operations of the addon: in Node's thread pool, or at once.
"use strict";

const { abortError, errorOf } = require("./errors.js");
const { Control } = require("./native.js");
const { onAbort } = require("./signal.js");

// Size of the pool, as libuv reads it.
const POOL = Math.min(parseInt(process.env.UV_THREADPOOL_SIZE ?? "4", 10) || 1, 1024);
/** Two pool threads stay free for Node's own file and DNS work, if the pool has three or more. */
let slots = Math.max(1, POOL - 2);
const waiting = new Set();
/** For each operation that runs, what ends it early. */
const running = new Set();
// Tests replace it.
const { nextTick } = process;

/** At its end Node waits for the pool. */
function endAll() {
  for (const end of running) end();
}

/** Waits for a slot in the pool. */
function enter(signal) {
  if (slots > 0) {
    slots -= 1;
    return undefined;
  }
  return new Promise((resolve, reject) => {
    const begin = () => {
      forget();
      resolve();
    };
    const forget = onAbort(signal, () => {
      forget();
      waiting.delete(begin);
      reject(abortError(signal));
    });
    waiting.add(begin);
  });
}

/** Gives the slot to the next operation. */
function leave() {
  const [next] = waiting;
  if (next === undefined) {
    slots += 1;
  } else {
    waiting.delete(next);
    next();
  }
}

/**
 * Runs an operation in the pool: `begin(control)` starts it, and returns the addon's promise. Once
 * the signal is aborted, the operation ends early, and the promise is rejected.
 */
async function run(signal, begin) {
  if (signal?.aborted) throw abortError(signal);
  await enter(signal);
  try {
    return await operate(signal, begin);
  } finally {
    leave();
  }
}

/** Runs an operation. What has been ended early is no result, whoever ended it. */
async function operate(signal, begin) {
  const control = new Control();
  let isEnded = false;
  const end = () => {
    isEnded = true;
    control.cancel();
  };
  const forget = onAbort(signal, end);
  // Only while something runs: each copy of the module would otherwise keep a listener.
  if (running.size === 0) process.on("exit", endAll);
  running.add(end);
  try {
    // It may have been aborted since there was a slot.
    if (signal?.aborted) throw abortError(signal);
    const result = await begin(control);
    if (!isEnded) return result;
  } catch (failure) {
    if (!isEnded) throw errorOf(failure);
  } finally {
    running.delete(end);
    if (running.size === 0) process.off("exit", endAll);
    forget();
  }
  throw abortError(signal);
}

/** Runs an operation at once. Errors have the stack of the caller of `above`. */
function runSync(begin, above) {
  try {
    return begin();
  } catch (failure) {
    throw errorOf(failure, above);
  }
}

/** Passes what comes of a promise to a callback, whose exceptions are nobody's. */
function settle(promise, callback) {
  promise.then(
    (result) => nextTick(callback, null, ...(result === undefined ? [] : [result])),
    (error) => nextTick(callback, error),
  );
}

module.exports = { run, runSync, settle };
