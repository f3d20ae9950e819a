"use strict";

const originals = require("./originals.js");
const { optionsOf, pathFor, signalOf, wrongType } = require("./arguments.js");
const { finishInTurns, textsOf } = require("./entries.js");
const { abortError, errorOf } = require("./errors.js");
const { Walker } = require("./native.js");
const { run } = require("./work.js");

function positionsOf(names, chosen) {
  if (!Array.isArray(chosen)) throw wrongType("directories", "an instance of Array", chosen);
  if (chosen.length === names.length && names.every((name, at) => name === chosen[at])) return null;
  // Several names can have the same text if they are not UTF-8.
  const positions = new Map(names.map((name) => [name, []]));
  names.forEach((name, at) => positions.get(name).push(at));
  return Uint32Array.from([...new Set(chosen)].flatMap((name) => positions.get(name) ?? []));
}

async function* directoriesOf(walker, signal, onError) {
  try {
    let chosen = null;
    for (let isEnd = false; !isEnd; ) {
      const found = await run(signal, (control) => walker.next(chosen, control));
      const { counts, failure } = found;
      chosen = null;
      isEnd = found.isEnd;
      const names = await finishInTurns(textsOf(found.text));
      for (let at = 0, index = 0; index < counts.length; index += 2) {
        const first = at + 1;
        const middle = first + counts[index];
        at = middle + counts[index + 1];
        const path = names[first - 1];
        const listed = names.slice(first, middle);
        const directory = { path, directories: [...listed], files: names.slice(middle, at) };
        yield directory;
        if (signal?.aborted) throw abortError(signal);
        if (listed.length > 0) chosen = positionsOf(listed, directory.directories);
      }
      if (!failure) continue;
      const error = errorOf(failure);
      if (!onError) throw error;
      onError(error);
    }
  } finally {
    walker.close();
  }
}

function walk(top, given) {
  const options = optionsOf(given, "onError", "signal");
  const { onError } = options;
  if (onError !== undefined && typeof onError !== "function") {
    throw wrongType("options.onError", "of type function", onError);
  }
  const known = pathFor(originals.readdirSync, top);
  return directoriesOf(new Walker(known), signalOf(options), onError);
}

module.exports = { walk };
