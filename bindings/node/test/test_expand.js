"use strict";

const assert = require("node:assert/strict");
const { spawnSync } = require("child_process");
const os = require("os");
const path = require("path");
const { test } = require("node:test");
const curt = require("curt-fs");

test("expandPath: a path without ~ is that of path.resolve", () => {
  const pieces = ["", ".", "..", "a", "b ", "/", "//", "a~", "x/~", "ä", "\ud800", "\0", "\\", "..."];
  let seed = 7;
  const random = (most) => (seed = (seed * 48271) % 2147483647) % most;
  const any = () => Array.from({ length: random(6) }, () => pieces[random(pieces.length)]).join("/");
  for (let turn = 0; turn < 5000; turn += 1) {
    const [base, text] = [any(), any()];
    assert.equal(curt.expandPath(text), path.resolve(text));
    assert.equal(curt.expandPath(text, base), path.resolve(base, text));
    assert.equal(curt.expandPath(text, undefined), path.resolve(text));
  }
});

test("expandPath: ~ is the home directory, and ~user that of a user", () => {
  const home = os.homedir();
  assert.equal(curt.expandPath("~"), home);
  assert.equal(curt.expandPath("~/"), home);
  assert.equal(curt.expandPath("~/a/../b"), path.join(home, "b"));
  assert.equal(curt.expandPath("a", "~/b"), path.join(home, "b", "a"));
  assert.equal(curt.expandPath("~", "~"), home);
  assert.equal(curt.expandPath("~/x", "/base"), path.join(home, "x"));
  assert.equal(curt.expandPath("./~"), path.resolve("~"));
  const { username, homedir } = os.userInfo();
  assert.equal(curt.expandPath(`~${username}`), homedir);
  assert.equal(curt.expandPath(`~${username}/a/./b/`), path.join(homedir, "a/b"));
});

test("expandPath: ~ is as Python's expanduser has it", (t) => {
  const texts = ["~", "~/a", "~root", "~root/a", "~nobody/x", "~daemon"];
  const script = "import os, sys; print(*map(os.path.expanduser, sys.argv[1:]), sep='\\n', end='')";
  const { error, stdout } = spawnSync("python3", ["-c", script, ...texts], { encoding: "utf8" });
  if (error) {
    t.skip(`python3: ${error.code}`);
    return;
  }
  assert.deepEqual(texts.map((text) => curt.expandPath(text)), stdout.split("\n"));
});

test("expandPath: a home directory that is unknown or relative is an error", () => {
  for (const text of ["~no-such-user", "~no-such-user/a", "~ro\0ot", "~\ud800", "~~"]) {
    const error = { name: "TypeError", code: "ERR_INVALID_ARG_VALUE" };
    assert.throws(() => curt.expandPath(text), error);
    assert.throws(() => curt.expandPath("a", text), error);
  }
  const { HOME } = process.env;
  try {
    for (const home of ["", "relative", "."]) {
      process.env.HOME = home;
      assert.throws(() => curt.expandPath("~/a"), {
        code: "ERR_INVALID_ARG_VALUE",
        message: "The argument 'path' begins with an unknown home directory. Received '~/a'",
      });
    }
    process.env.HOME = "/";
    assert.equal(curt.expandPath("~/a"), "/a");
  } finally {
    process.env.HOME = HOME;
  }
});

test("expandPath: wrong arguments have Node's errors", () => {
  for (const wrong of [
    7,
    -0,
    null,
    undefined,
    true,
    {},
    Object.create(null),
    Buffer.from("a"),
    new Date(0),
    Symbol("a"),
    function named() {},
    () => {},
    class {},
    10n ** 30n,
  ]) {
    let theirs;
    try {
      path.basename(wrong);
    } catch (error) {
      theirs = error;
    }
    const error = (name) => ({
      name: theirs.name,
      code: theirs.code,
      message: theirs.message.replace('"path"', `"${name}"`),
    });
    assert.throws(() => curt.expandPath(wrong), error("path"));
    if (wrong !== undefined) assert.throws(() => curt.expandPath("a", wrong), error("base"));
  }
});
