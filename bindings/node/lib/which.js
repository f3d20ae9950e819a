"use strict";

const { booleanOf, optionsOf, wrongType, wrongValue } = require("./arguments.js");
const { find } = require("./native.js");
const { run, runSync } = require("./work.js");

/** Returns an environment variable. On Windows, Node ignores the case of its name. */
function variable(env, name, isWindows) {
  let known = name;
  if (isWindows) {
    const names = [];
    for (const other in env) if (other.toUpperCase() === name.toUpperCase()) names.push(other);
    known = names.sort()[0];
  }
  const value = env[known];
  return value === undefined ? undefined : String(value);
}

function settingsOf({ path, pathExt, cwd }, env, isWindows) {
  const of = (name) => variable(env, name, isWindows);
  return {
    path: path ?? of("PATH"),
    pathExt: pathExt ?? (isWindows ? of("PATHEXT") : undefined),
    cwd,
    isWindows,
    searchesCwd: isWindows && of("NoDefaultCurrentDirectoryInExePath") === undefined,
  };
}

function argumentsOf(name, given) {
  if (typeof name !== "string") throw wrongType("name", "of type string", name);
  if (name.includes("\0")) throw wrongValue("name", "must be a string without null bytes", name);
  const options = optionsOf(given, "all", "cwd", "path", "pathExt");
  const all = booleanOf(options, "all");
  for (const key of ["path", "pathExt", "cwd"]) {
    const value = options[key];
    if (value !== undefined && typeof value !== "string") {
      throw wrongType(`options.${key}`, "of type string", value);
    }
  }
  return [name, settingsOf(options, process.env, process.platform === "win32"), all];
}

function resultOf([, , all], found) {
  return all ? found : (found[0] ?? null);
}

async function which(name, options) {
  const words = argumentsOf(name, options);
  return resultOf(words, await run(undefined, (control) => find(...words, control)));
}

function whichSync(name, options) {
  const words = argumentsOf(name, options);
  return resultOf(words, runSync(() => find(...words, null), whichSync));
}

module.exports = { settingsOf, which, whichSync };
