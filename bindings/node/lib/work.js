// Operations of the addon: in Node's thread pool, or at once.
"use strict";

const { abortError, errorOf } = require("./errors.js");
const { Control } = require("./native.js");
const { onAbort } = require("./signal.js");

// Room in the pool is left for everything else that Node does there.
const POOL = Number(process.env.UV_THREADPOOL_SIZE ?? 4) || 1;
let places = Math.max(1, POOL - 2);
const waiting = new Set();
const running = new Set();

// At its end Node waits for the pool.
process.on("exit", () => {
  for (const control of running) control.cancel();
});

/** Waits for a place in the pool. */
function enter(signal) {
  if (places > 0) {
    places -= 1;
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

/** Gives the place to the next one. */
function leave() {
  const [next] = waiting;
  if (next === undefined) {
    places += 1;
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
  const control = new Control();
  const forget = onAbort(signal, () => control.cancel());
  // It may have been aborted since there was a place.
  if (signal?.aborted) control.cancel();
  running.add(control);
  try {
    const result = await begin(control);
    if (!signal?.aborted) return result;
  } catch (failure) {
    if (!signal?.aborted) throw errorOf(failure);
  } finally {
    running.delete(control);
    forget();
    leave();
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
function callBack(promise, callback) {
  promise.then(
    (result) => process.nextTick(callback, null, result),
    (error) => process.nextTick(callback, error),
  );
}

module.exports = { callBack, run, runSync };
