"use strict";

const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const fs = require("fs");
const path = require("path");
const { test } = require("node:test");
const { which, whichSync } = require("curt-fs");
const { folder, plant } = require("./helper.js");

function programs(...names) {
  const top = plant(Object.fromEntries(names.map((name) => [name, '#!/bin/sh\nprintf %s "$0"\n'])));
  for (const name of names) fs.chmodSync(path.join(top, name), 0o755);
  return top;
}

test("which finds what spawn starts", { skip: process.platform === "win32" }, async () => {
  const top = programs("a/tool", "b/tool", "b/only", "here", "sub/tool");
  fs.writeFileSync(path.join(top, "a/plain"), "");
  fs.mkdirSync(path.join(top, "a/only"));
  const [a, b] = [path.join(top, "a"), path.join(top, "b")];
  const searches = [`${a}:${b}`, `${b}:${a}`, "", `/nowhere:${b}`, "a:b", `${a}::${b}`, "."];
  for (const search of searches) {
    for (const name of ["tool", "only", "plain", "here", "./here", "sub/tool", "missing", ""]) {
      const options = { path: search, cwd: top };
      const found = await which(name, options);
      assert.equal(whichSync(name, options), found);
      const directories = name.includes("/") ? [search] : search.split(":");
      const each = directories.map((path) => whichSync(name, { path, cwd: top }));
      const all = each.filter((found) => found !== null);
      assert.deepEqual(await which(name, { ...options, all: true }), all);
      assert.deepEqual(whichSync(name, { ...options, all: true }), all);
      const env = { PATH: search };
      const started = name && spawnSync(name, { cwd: top, env, encoding: "utf8" });
      if (!name || started.error) assert.equal(found, null, `${name} in ${search}`);
      else assert.equal(found, path.resolve(top, started.stdout), `${name} in ${search}`);
    }
  }
});

test("which takes the search path, and the working directory, of the process", async () => {
  const top = programs("tool");
  const before = process.env.PATH;
  process.env.PATH = top;
  try {
    assert.equal(await which("tool"), path.join(top, "tool"));
    delete process.env.PATH;
    assert.equal(whichSync("tool"), null);
    assert.equal(path.basename(whichSync("sh")), "sh");
  } finally {
    process.env.PATH = before;
  }
  assert.equal(whichSync("node", { cwd: folder() }), whichSync("node"));
  const relative = path.relative(process.cwd(), top);
  assert.equal(path.normalize(await which("./tool", { cwd: relative })), path.join(top, "tool"));
  assert.equal(await which("./tool", { cwd: path.join(top, "missing") }), null);
});

test("which refuses invalid names", async () => {
  for (const [code, ...words] of [
    ["ERR_INVALID_ARG_TYPE", 7],
    ["ERR_INVALID_ARG_TYPE"],
    ["ERR_INVALID_ARG_VALUE", "a\0b"],
    ["ERR_INVALID_ARG_TYPE", "a", { path: 7 }],
    ["ERR_INVALID_ARG_TYPE", "a", { cwd: null }],
    ["ERR_INVALID_ARG_TYPE", "a", { all: 1 }],
  ]) {
    assert.throws(() => whichSync(...words), { name: "TypeError", code });
    await assert.rejects(which(...words), { name: "TypeError", code });
  }
  for (const name of ["\ud800", "x".repeat(1e6), "../".repeat(1e5), "\n", " "]) {
    assert.equal(await which(name), null);
  }
});
