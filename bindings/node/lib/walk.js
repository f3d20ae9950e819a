"use strict";

const originals = require("./originals.js");
const {
  countOf,
  excludeOf,
  functionOf,
  optionsOf,
  pathFor,
  signalOf,
  withGlobs,
  wrongType,
  wrongValue,
} = require("./arguments.js");
const { finish, finishInTurns, textsOf } = require("./entries.js");
const { abortError, errorOf } = require("./errors.js");
const { PathWalker, Walker } = require("./native.js");
const { run, runSync } = require("./work.js");

function positionsOf(names, chosen) {
  if (!Array.isArray(chosen)) throw wrongType("directories", "an instance of Array", chosen);
  if (chosen.length === names.length && names.every((name, at) => name === chosen[at])) return null;
  // Several names can have the same text if they are not UTF-8.
  const positions = new Map(names.map((name) => [name, []]));
  names.forEach((name, at) => positions.get(name).push(at));
  return Uint32Array.from([...new Set(chosen)].flatMap((name) => positions.get(name) ?? []));
}

function report(failure, onError, above) {
  if (!failure) return;
  const error = errorOf(failure, above);
  if (!onError) throw error;
  onError(error);
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
      report(failure, onError);
    }
  } finally {
    walker.close();
  }
}

function walk(top, given) {
  const options = optionsOf(given, "onError", "signal");
  const onError = functionOf(options, "onError");
  const known = pathFor(originals.readdirSync, top);
  return directoriesOf(new Walker(known), signalOf(options), onError);
}

function directoriesOnlyOf({ only }) {
  if (only === undefined) return undefined;
  if (only === "files" || only === "directories") return only === "directories";
  throw wrongValue("options.only", "must be one of: 'files', 'directories'", only);
}

function pathWalkerOf(top, options) {
  const exclude = excludeOf(options);
  const maxDepth = options.maxDepth === Infinity ? undefined : countOf(options, "maxDepth", 1);
  const how = { exclude, maxDepth, directories: directoriesOnlyOf(options) };
  const known = pathFor(originals.readdirSync, top);
  return withGlobs(options, () => new PathWalker(known, how));
}

function requestOf(top, given, ...others) {
  const options = optionsOf(given, "exclude", "maxDepth", "onError", "only", ...others);
  const onError = functionOf(options, "onError");
  return { walker: pathWalkerOf(top, options), signal: signalOf(options), onError };
}

async function* batchesOf({ walker, signal, onError }) {
  try {
    for (let isEnd = false; !isEnd; ) {
      const found = await run(signal, (control) => walker.next(control));
      yield await finishInTurns(textsOf(found.text), signal);
      report(found.failure, onError);
      isEnd = found.isEnd;
    }
  } finally {
    walker.close();
  }
}

async function* pathsOf(request) {
  for await (const batch of batchesOf(request)) {
    for (const path of batch) {
      yield path;
      if (request.signal?.aborted) throw abortError(request.signal);
    }
  }
}

function walkPaths(top, given) {
  return pathsOf(requestOf(top, given, "signal"));
}

async function paths(top, given) {
  const all = [];
  for await (const batch of batchesOf(requestOf(top, given, "signal"))) {
    for (const path of batch) all.push(path);
  }
  return all;
}

function pathsSync(top, given) {
  const { walker, onError } = requestOf(top, given);
  const all = [];
  try {
    for (let isEnd = false; !isEnd; ) {
      const found = runSync(() => walker.next(null), pathsSync);
      for (const path of finish(textsOf(found.text))) all.push(path);
      report(found.failure, onError, pathsSync);
      isEnd = found.isEnd;
    }
  } finally {
    walker.close();
  }
  return all;
}

module.exports = { paths, pathsSync, walk, walkPaths };
