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
  let timer, thrown;
  const begin = (control) => {
    const show = () => {
      try {
        onProgress(removal.removed());
      } catch (error) {
        thrown ??= { error };
        control.cancel();
      }
    };
    timer = onProgress && setInterval(show, PROGRESS_MS);
    return removal.run(control);
  };
  const report = await run(signalOf(options), begin).finally(() => {
    clearInterval(timer);
    if (thrown) throw thrown.error;
  });
  onProgress?.({ files: report.files, directories: report.directories });
  return reportOf(report);
}

function removeSync(path, given) {
  const removal = removalOf(path, optionsOf(given, ...NAMES));
  return reportOf(runSync(() => removal.run(null), removeSync), removeSync);
}

module.exports = { remove, removeSync };
