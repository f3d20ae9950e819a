// `spawn` and `spawnSync`: Node's own, which on Windows start what is found here.
"use strict";

const { win32 } = require("path");
const originals = require("./originals.js");
const { isOptions, pathOf, wrongValue } = require("./arguments.js");
const { find } = require("./native.js");
const { settingsOf } = require("./which.js");

/** Words that cmd.exe, and the batch file, read as they are: none ends with a backslash. */
const PLAIN = /^[A-Za-z0-9#$*+\-./:?@_\\\u{a0}-\u{10ffff}]+(?<!\\)$/u;

/**
 * Keeps cmd.exe from putting variables in the place of their names, which it does in quotes, too:
 * `%` is followed by a variable that is cut to nothing.
 */
const withoutVariables = (text) => text.replaceAll("%", "%%cd:~,%");

/** Quotes a word: quotes in it are doubled, and backslashes before a quote. */
function quoted(word) {
  if (PLAIN.test(word)) return word;
  const text = word.replace(/(\\*)"/g, '$1$1""').replace(/\\+$/, "$&$&");
  return `"${withoutVariables(text)}"`;
}

/** Node's arguments to start a batch file by cmd.exe. */
function batchOf(script, words, options) {
  const at = words.findIndex((word) => /[\r\n]/.test(word));
  if (at >= 0) {
    throw wrongValue(`args[${at}]`, "must have no line ends, as a batch file gets it", words[at]);
  }
  const shell = win32.join(process.env.SystemRoot || "C:\\Windows", "System32", "cmd.exe");
  const line = [`"${withoutVariables(script)}"`, ...words.map(quoted)].join(" ");
  return [
    shell,
    ["/e:ON", "/v:OFF", "/d", "/s", "/c", `"${line}"`],
    { ...options, argv0: "cmd.exe", windowsVerbatimArguments: true },
  ];
}

/**
 * Node's arguments to start what is found by the rules of cmd.exe; those that were passed where
 * Node finds what is wrong with them, or nothing either.
 */
function found(...passed) {
  const [command, args] = passed;
  const hasWords = args === undefined || args === null || Array.isArray(args);
  const given = hasWords ? passed[2] : args;
  const options = { __proto__: null, ...given };
  const words = hasWords ? Array.from(args ?? [], String) : [];
  const isTaken =
    typeof command === "string" &&
    ![command, ...words].some((word) => word.includes("\0")) &&
    isOptions(given);
  // As for Node, an empty one is none.
  const directory = pathOf(options.cwd || ".");
  if (!isTaken || options.shell || directory === null) return passed;
  const cwd = options.cwd ? String(directory) : undefined;
  const settings = settingsOf({ cwd }, options.env || process.env, true);
  let path = null;
  try {
    path = find(command, settings, null);
  } catch {
    // Node emits the error.
  }
  if (path === null) return passed;
  if (/\.(?:bat|cmd)$/i.test(path)) return batchOf(path, words, options);
  if (!/\.(?:com|exe)$/i.test(path)) return passed;
  return [path, words, { ...options, argv0: options.argv0 ?? command }];
}

const { spawn, spawnSync } = originals;

module.exports =
  process.platform === "win32"
    ? {
        found,
        spawn: (...passed) => spawn(...found(...passed)),
        spawnSync: (...passed) => spawnSync(...found(...passed)),
      }
    : { found, spawn, spawnSync };
