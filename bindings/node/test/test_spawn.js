"use strict";

const assert = require("node:assert/strict");
const childProcess = require("node:child_process");
const path = require("path");
const { test } = require("node:test");
const { spawn, spawnSync } = require("curt-fs");
const { plant } = require("./helper.js");

const { found } = require(path.join(path.dirname(require.resolve("curt-fs")), "lib/spawn.js"));

test("spawn is Node's own where there are no batch files", (t) => {
  if (process.platform === "win32") return t.skip("there are batch files");
  assert.equal(spawn, childProcess.spawn);
  assert.equal(spawnSync, childProcess.spawnSync);
});

function rulesOf(...names) {
  const top = plant(Object.fromEntries(names.map((name) => [name, ""])));
  const options = { cwd: top, env: { Path: ["a", "b"].join(";"), SystemRoot: "C:\\Windows" } };
  return { top, options };
}

function lineOf(script, ...words) {
  return `""${script}"${words.map((word) => ` ${word}`).join("")}"`;
}

test("spawn finds programs with an extension", () => {
  const { top, options } = rulesOf("a/npm.cmd", "a/npm", "b/npm.exe", "b/tool.EXE", "here.bat");
  const at = (name) => path.join(top, name);
  const [shell, words, settings] = found("npm", ["run", "a b"], { ...options, detached: true });
  assert.match(shell, /^[A-Z]:\\.*\\System32\\cmd\.exe$/);
  const line = lineOf(at("a/npm.cmd"), "run", '"a b"');
  assert.deepEqual(words, ["/e:ON", "/v:OFF", "/d", "/s", "/c", line]);
  const verbatim = { windowsVerbatimArguments: true, argv0: "cmd.exe" };
  assert.deepEqual(settings, { ...options, detached: true, ...verbatim });
  const tool = [at("b/tool.EXE"), ["x"], { ...options, argv0: "tool" }];
  assert.deepEqual(found("tool", ["x"], options), tool);
  const named = found("tool", { ...options, argv0: "other" });
  assert.deepEqual(named, [at("b/tool.EXE"), [], { ...options, argv0: "other" }]);
  assert.deepEqual(found("npm.exe", null, options)[0], at("b/npm.exe"));
  assert.equal(found("here", options)[1].at(-1), lineOf(at("here.bat")));
  assert.equal(found("./a/npm", options)[1].at(-1), lineOf(at("a/npm.cmd")));
  const env = { ...options.env, NODEFAULTCURRENTDIRECTORYINEXEPATH: "" };
  const without = ["here", { ...options, env }];
  assert.deepEqual(found(...without), without);
  const extended = { ...options, env: { ...options.env, PATHEXT: ".EXE;.CMD" } };
  assert.equal(found("npm", extended)[1].at(-1), line.replace(/ run.*/, '"'));
});

test("spawn leaves refused and missing programs to Node", () => {
  const { options } = rulesOf("a/npm.cmd", "a/script.js");
  for (const passed of [
    [],
    [7],
    ["npm", 7],
    ["npm", [], null],
    ["npm", [], 7],
    ["npm", [], Object.assign([], options)],
    ["npm", ["a\0b"], options],
    ["npm\0", options],
    ["npm", { ...options, shell: true }],
    ["npm", { ...options, cwd: 7 }],
    ["missing", [], options],
    ["script", [], { ...options, env: { ...options.env, PATHEXT: ".JS" } }],
  ]) {
    assert.deepEqual(found(...passed), passed);
  }
});

test("spawn quotes the words of a batch file", () => {
  const { top, options } = rulesOf("a/npm.cmd", "a/100%PATH%.cmd");
  const wordsOf = (...words) => found("npm", words, options)[1].at(-1);
  const script = path.join(top, "a/npm.cmd");
  for (const [word, quoted] of [
    ["", '""'],
    ["plain-1.2_3:4/5@6#7$8*9?+", "plain-1.2_3:4/5@6#7$8*9?+"],
    ["a b", '"a b"'],
    ["a&calc", '"a&calc"'],
    ["a|b<c>d^e", '"a|b<c>d^e"'],
    ["(a)", '"(a)"'],
    ["a,b;c=d", '"a,b;c=d"'],
    ["a!b!", '"a!b!"'],
    ["~a`b'", '"~a`b\'"'],
    ["\ta", '"\ta"'],
    ["\u{85}", '"\u{85}"'],
    ["grün\u{1f980}", "grün\u{1f980}"],
    ['"', '""""'],
    ['a"&calc"', '"a""&calc"""'],
    ['a\\"b', '"a\\\\""b"'],
    ['a\\\\"b\\', '"a\\\\\\\\""b\\\\"'],
    ["a\\b", "a\\b"],
    ["C:\\", '"C:\\\\"'],
    ["a b\\\\", '"a b\\\\\\\\"'],
    ["%PATH%", '"%%cd:~,%PATH%%cd:~,%"'],
    ["100%", '"100%%cd:~,%"'],
  ]) {
    assert.equal(wordsOf(word), lineOf(script, quoted), word);
  }
  const odd = path.join(top, "a/100%%cd:~,%PATH%%cd:~,%.cmd");
  assert.equal(found("100%PATH%", options)[1].at(-1), lineOf(odd));
  for (const word of ["a\nb", "a\r", "\r\n"]) {
    const code = "ERR_INVALID_ARG_VALUE";
    assert.throws(() => found("npm", ["x", word], options), { code, message: /'args\[1\]'/ });
  }
});
