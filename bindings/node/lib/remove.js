"use strict";

const { lstatSync } = require("fs");
const { clearInterval, setInterval } = require("timers");
const {
  booleanOf,
  countOf,
  excludeOf,
  functionOf,
  optionsOf,
  pathFor,
  signalOf,
  systemPathOf,
  threadsOf,
  withGlobs,
} = require("./arguments.js");
const { errorOf } = require("./errors.js");
const { Removal } = require("./native.js");
const { run, runSync } = require("./work.js");

const PROGRESS_MS = 100;
const NAMES = ["contents", "exclude", "force", "makeWritable", "retries", "threads"];

function removalOf(path, options) {
  const how = {
    contents: booleanOf(options, "contents"),
    exclude: excludeOf(options),
    force: booleanOf(options, "force"),
    makeWritable: booleanOf(options, "makeWritable"),
    retries: countOf(options, "retries", 0),
    threads: threadsOf(options),
  };
  const paths = Array.isArray(path) ? path : [path];
  const known = paths.map((one) => systemPathOf(pathFor(lstatSync, one)));
  return withGlobs(options, () => new Removal(known, how));
}

function reportOf(report, above) {
  return { ...report, errors: report.errors.map((failure) => errorOf(failure, above)) };
}

async function remove(path, given) {
  const options = optionsOf(given, ...NAMES, "onProgress", "signal");
  const onProgress = functionOf(options, "onProgress");
  const removal = removalOf(path, options);
  const thrown = [];
  let timer;
  const begin = (control) => {
    const show = () => {
      try {
        onProgress(removal.removed());
      } catch (error) {
        thrown.push(error);
        control.cancel();
      }
    };
    timer = onProgress && setInterval(show, PROGRESS_MS);
    return removal.run(control);
  };
  try {
    const report = await run(signalOf(options), begin);
    if (thrown.length === 0) {
      onProgress?.({ files: report.files, directories: report.directories });
      return reportOf(report);
    }
  } catch (failure) {
    if (thrown.length === 0) throw failure;
  } finally {
    clearInterval(timer);
  }
  throw thrown[0];
}

function removeSync(path, given) {
  const removal = removalOf(path, optionsOf(given, ...NAMES));
  return reportOf(runSync(() => removal.run(null), removeSync), removeSync);
}

module.exports = { remove, removeSync };
