// What an `AbortSignal` ends.
"use strict";

const { abortError } = require("./errors.js");

/** What a signal ends. It is its only listener, however many calls share the signal. */
class Aborts extends Set {
  handleEvent() {
    for (const abort of this) abort();
  }
}

const abortsOf = new WeakMap();

/** Calls `abort` once the signal, if there is one, is aborted, until what is returned is called. */
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
      // What a foreign signal throws is no failure of the operation that has ended.
    }
  };
}

/**
 * Waits for what Node's own function does, which takes no signal: once it is aborted, it is no
 * longer waited for.
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
