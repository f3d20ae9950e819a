"use strict";

const { abortError } = require("./errors.js");

/** The operations that a signal aborts, by a single listener. */
class Aborts extends Set {
  handleEvent() {
    for (const abort of this) abort();
  }
}

const abortsOf = new WeakMap();

function onAbort(signal, abort) {
  if (signal === undefined) return () => {};
  let aborts = abortsOf.get(signal);
  if (aborts === undefined) {
    aborts = new Aborts();
    signal.addEventListener("abort", aborts);
    abortsOf.set(signal, aborts);
  }
  aborts.add(abort);
  return () => {
    aborts.delete(abort);
    if (aborts.size > 0) return;
    if (abortsOf.get(signal) === aborts) abortsOf.delete(signal);
    try {
      signal.removeEventListener("abort", aborts);
    } catch {
      // The operation has ended: an exception of a user's signal must not make it fail.
    }
  };
}

/**
 * Makes a function of Node that takes no signal abortable. An abort rejects the promise, but the
 * function continues.
 */
async function abortable(signal, begin) {
  if (signal === undefined) return begin();
  if (signal.aborted) throw abortError(signal);
  let forget;
  const aborted = new Promise((_, reject) => {
    forget = onAbort(signal, () => reject(abortError(signal)));
  });
  try {
    return await Promise.race([begin(), aborted]);
  } finally {
    forget();
  }
}

module.exports = { abortable, onAbort };
