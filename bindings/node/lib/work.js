"use strict";

const { abortError, errorOf } = require("./errors.js");
const { Control } = require("./native.js");
const { onAbort } = require("./signal.js");

// The size of the thread pool, parsed as libuv does.
const POOL = Math.min(parseInt(process.env.UV_THREADPOOL_SIZE ?? "4", 10) || 1, 1024);
/** How many operations may still start. Leaves two threads for Node's file and DNS work. */
let slots = Math.max(1, POOL - 2);
const waiting = new Set();
const running = new Set();
// Saved now, because users' tests replace `process.nextTick`.
const { nextTick } = process;

/** Ends all operations at exit, because Node waits for the pool. */
function endAll() {
  for (const end of running) end();
}

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

function leave() {
  const [next] = waiting;
  if (next === undefined) {
    slots += 1;
  } else {
    waiting.delete(next);
    next();
  }
}

/** Runs the operation that `begin(control)` starts in the pool. The signal ends it early. */
async function run(signal, begin) {
  if (signal?.aborted) throw abortError(signal);
  await enter(signal);
  try {
    return await operate(signal, begin);
  } finally {
    leave();
  }
}

async function operate(signal, begin) {
  const control = new Control();
  let isEnded = false;
  const end = () => {
    isEnded = true;
    control.cancel();
  };
  const forget = onAbort(signal, end);
  // Listen only while operations run; otherwise each copy of this module would leave a listener.
  if (running.size === 0) process.on("exit", endAll);
  running.add(end);
  try {
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

/** Throws the failure of `begin` as an error whose stack begins at the caller of `above`. */
function runSync(begin, above) {
  try {
    return begin();
  } catch (failure) {
    throw errorOf(failure, above);
  }
}

/**
 * Passes the result to the callback, by `nextTick` to keep the callback's exceptions out of the
 * promise chain.
 */
function settle(promise, callback) {
  promise.then(
    (result) => nextTick(callback, null, ...(result === undefined ? [] : [result])),
    (error) => nextTick(callback, error),
  );
}

module.exports = { run, runSync, settle };
