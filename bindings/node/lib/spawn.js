// On Windows, starts the program that `which` finds. Elsewhere these are Node's functions.
"use strict";

const { win32 } = require("path");
const originals = require("./originals.js");
const { isOptions, pathOf, wrongValue } = require("./arguments.js");
const { find } = require("./native.js");
const { settingsOf } = require("./which.js");

/** Words that cmd.exe and the batch file read unchanged. A trailing backslash needs quotes. */
const PLAIN = /^[A-Za-z0-9#$*+\-./:?@_\\\u{a0}-\u{10ffff}]+(?<!\\)$/u;

/** Adds an empty variable after each `%`, because cmd.exe expands variables even in quotes. */
const withoutVariables = (text) => text.replaceAll("%", "%%cd:~,%");

/** Quotes a word, doubling its quotes, and backslashes before a quote. */
function quoted(word) {
  if (PLAIN.test(word)) return word;
  const text = word.replace(/(\\*)"/g, '$1$1""').replace(/\\+$/, "$&$&");
  return `"${withoutVariables(text)}"`;
}

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
 * Finds the program under the rules of cmd.exe, and returns arguments with which Node starts it.
 * Returns the passed arguments unchanged if they are wrong or the program is missing.
 */
function found(...passed) {
  const [command, args] = passed;
  const hasWords = args === undefined || args === null || Array.isArray(args);
  const given = hasWords ? passed[2] : args;
  const options = { __proto__: null, ...given };
  const words = hasWords ? Array.from(args ?? [], String) : [];
  const isSupported =
    typeof command === "string" &&
    ![command, ...words].some((word) => word.includes("\0")) &&
    isOptions(given);
  const directory = pathOf(options.cwd || ".");
  if (!isSupported || options.shell || directory === null) return passed;
  const cwd = options.cwd ? String(directory) : undefined;
  const settings = settingsOf({ cwd }, options.env || process.env, true);
  let path;
  try {
    [path] = find(command, settings, false, null);
  } catch {
  }
  if (path === undefined) return passed;
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
