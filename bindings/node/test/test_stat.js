"use strict";

const assert = require("node:assert/strict");
const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");
const { inspect } = require("util");
const { test } = require("node:test");
const curt = require("curt-fs");
const { plant } = require("./helper.js");

function expected(paths, follow = true) {
  const stat = follow ? fs.promises.stat : fs.promises.lstat;
  return Promise.all(paths.map((path) => stat(path).catch((error) => error)));
}

const IN_ERRORS = ["name", "message", "code", "errno", "syscall", "path"];

function assertSame(ours, theirs, paths) {
  assert.equal(ours.length, theirs.length);
  for (const [at, answer] of ours.entries()) {
    const about = inspect(paths[at]).slice(0, 100);
    assert.equal(answer instanceof Error, theirs[at] instanceof Error, about);
    if (answer instanceof Error) {
      for (const key of IN_ERRORS) assert.equal(answer[key], theirs[at][key], `${key} of ${about}`);
    } else {
      assert.deepStrictEqual(answer, theirs[at], about);
    }
  }
}

async function compare(paths) {
  assertSame(await curt.statMany(paths), await expected(paths), paths);
  for (const followSymlinks of [true, false]) {
    const ours = await curt.statMany(paths, { followSymlinks });
    assertSame(ours, await expected(paths, followSymlinks), paths);
  }
}

test("statMany: has the metadata that fs.stat has, and its errors", async () => {
  const top = plant({ file: "four", "directory/a": "", "näme\nwith a line": "" });
  const at = (name) => path.join(top, name);
  fs.symlinkSync("file", at("link"));
  fs.symlinkSync("nowhere", at("broken"));
  fs.symlinkSync("loop", at("loop"));
  fs.symlinkSync("file/below", at("through"));
  fs.linkSync(at("file"), at("again"));
  fs.chmodSync(at("again"), 0o4751);
  fs.utimesSync(at("directory/a"), -1.5, 1_000_000_000.123456);
  const bytes = Buffer.concat([Buffer.from(`${top}/`), Buffer.from([0xff])]);
  fs.writeFileSync(bytes, "");
  fs.truncateSync(at("näme\nwith a line"), 2 ** 40);
  await compare([
    ...fs.readdirSync(top).map(at),
    at("directory/a"),
    bytes,
    new Uint8Array(Buffer.from(top)),
    pathToFileURL(at("file")),
    at("missing"),
    Buffer.from(at("missing")),
    at("file/below"),
    "",
    ".",
    "/",
    "/proc/self/status",
    "/dev/null",
    "/dev/tty",
    `${top}/${"x".repeat(300)}`,
    `${top}/${"x/".repeat(3000)}`,
    "a\0b",
    Buffer.from("a\0b"),
    "\ud800",
    7,
    null,
    undefined,
    {},
    new URL("http://a/b"),
    new URL("file:///a%00b"),
    top,
  ]);
});

test("statMany: its results are fs.Stats", async () => {
  const top = plant({ file: "four" });
  const [stats] = await curt.statMany([path.join(top, "file")]);
  assert.ok(stats instanceof fs.Stats);
  assert.ok(stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink());
  const theirs = fs.statSync(path.join(top, "file"));
  assert.deepEqual(stats.mtime, theirs.mtime);
  assert.equal(inspect(stats), inspect(theirs));
  assert.equal(JSON.stringify(stats), JSON.stringify(theirs));
  stats.mtime = new Date(0);
  assert.equal(stats.mtime.getTime(), 0);
});

test("statMany: takes more than are asked about in one go, and any iterable", async () => {
  const top = plant({ a: "a" });
  const paths = Array.from({ length: 10_000 }, (_, at) => path.join(top, at % 3 ? "a" : `no ${at}`));
  assertSame(await curt.statMany(paths), await expected(paths), paths);
  function* generated() {
    yield* paths.slice(0, 2);
  }
  const first = await expected(paths.slice(0, 2));
  for (const some of [generated(), new Set(paths.slice(0, 2))]) {
    assertSame(await curt.statMany(some), first, paths);
  }
  assert.deepEqual(await curt.statMany([]), []);
});

test("statMany: paths that together are longer than a text may be", async () => {
  const answers = await curt.statMany(Array(1024).fill("a".repeat(1 << 20)));
  assert.ok(answers.every(({ code }) => code === "ENAMETOOLONG"));
});

test("statMany: an array may be changed meanwhile", async () => {
  const paths = Array(10_000).fill(plant({ a: "a" }));
  const asked = curt.statMany(paths);
  paths.length = 0;
  assert.equal((await asked).filter((stats) => stats.isDirectory()).length, 10_000);
});

test("statMany: wrong arguments have Node's errors", async () => {
  const type = { name: "TypeError", code: "ERR_INVALID_ARG_TYPE" };
  for (const paths of [undefined, null, 7, {}, "path", Buffer.from("path"), (async function* () {})()]) {
    await assert.rejects(curt.statMany(paths), type);
  }
  for (const options of [{ followSymlinks: 1 }, { followSymlinks: null }, { signal: 7 }]) {
    await assert.rejects(curt.statMany(["."], options), type);
  }
  const thrown = new Error("thrown");
  function* throwing() {
    yield ".";
    throw thrown;
  }
  await assert.rejects(curt.statMany(throwing()), thrown);
});

test("statMany: an aborted signal ends it", async () => {
  const aborted = { name: "AbortError", code: "ABORT_ERR", cause: "enough" };
  const controller = new AbortController();
  const asked = curt.statMany(Array(20_000).fill("."), { signal: controller.signal });
  setImmediate(() => controller.abort("enough"));
  await assert.rejects(asked, aborted);
  const other = new AbortController();
  other.signal.removeEventListener = () => other.abort("enough");
  await assert.rejects(curt.statMany([""], { signal: other.signal }), aborted);
});
