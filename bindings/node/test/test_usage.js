"use strict";

const assert = require("node:assert/strict");
const { spawnSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");
const { test } = require("node:test");
const curt = require("curt-fs");
const { plant } = require("./helper.js");

function du(...words) {
  const { stdout } = spawnSync("du", ["-s", "--block-size=1", ...words], { encoding: "utf8" });
  return Number.parseInt(stdout, 10);
}

function measured(top, seen = new Set()) {
  const stats = fs.lstatSync(top, { bigint: true });
  const sizes = { entries: 1, size: 0, allocated: Number(stats.blocks) * 512 };
  if (!stats.isDirectory()) {
    if (stats.nlink > 1n && seen.has(stats.ino)) return { entries: 0, size: 0, allocated: 0 };
    seen.add(stats.ino);
    sizes.size = Number(stats.size);
    return sizes;
  }
  for (const name of fs.readdirSync(top)) {
    const below = measured(path.join(top, name), seen);
    for (const key of Object.keys(sizes)) sizes[key] += below[key];
  }
  return sizes;
}

test("usage: measures a tree as du does", async () => {
  const top = plant({ "a/b": "x".repeat(10000), "a/c/d": "", e: "four" });
  fs.linkSync(path.join(top, "e"), path.join(top, "a", "again"));
  fs.symlinkSync("a", path.join(top, "link"));
  fs.truncateSync(path.join(top, "a", "c", "d"), 1_000_000);
  const usage = await curt.usage(top);
  assert.deepEqual({ ...usage }, measured(top));
  assert.equal(usage.allocated, du(top));
  for (const same of [Buffer.from(top), pathToFileURL(top)]) {
    assert.deepEqual(await curt.usage(same), usage);
  }
  assert.deepEqual(await curt.usage(top, { threads: 2 }), usage);
  assert.deepEqual(await curt.usage(top, { threads: "auto" }), usage);
  for (const name of ["e", "link"]) {
    const target = path.join(top, name);
    assert.deepEqual({ ...(await curt.usage(target)) }, measured(target));
  }
});

test("usage: takes a URL that is not of the class with that name", async () => {
  const { URL } = globalThis;
  try {
    globalThis.URL = class {};
    assert.equal((await curt.usage(pathToFileURL(plant({ a: "a" })))).entries, 2);
  } finally {
    globalThis.URL = URL;
  }
});

test("usage: a directory that may not be listed rejects", async (t) => {
  if (process.getuid() !== 0) {
    t.skip("needs root, to become nobody");
    return;
  }
  const top = plant({ "a/secret/b": "b", "a/c": "c" });
  fs.chmodSync(top, 0o755);
  const target = path.join(top, "a", "secret");
  fs.chmodSync(target, 0o700);
  const script = `require("curt-fs").usage(process.argv[1]).then(console.log, (error) =>
    console.log(error.code, error.syscall, error.path))`;
  const nobody = { uid: 65534, gid: 65534, encoding: "utf8" };
  const words = ["-e", script, path.join(top, "a")];
  const { stdout } = spawnSync(process.execPath, words, nobody);
  assert.equal(stdout, `EACCES scandir ${target}\n`);
});

test("usage: wrong arguments have Node's errors", async () => {
  for (const wrong of ["", "a\0b", 7, null, undefined, {}]) {
    let theirs;
    try {
      fs.lstatSync(wrong);
    } catch (error) {
      theirs = error;
    }
    const { name, code, message } = theirs;
    await assert.rejects(curt.usage(wrong), { name, code, message });
  }
});
