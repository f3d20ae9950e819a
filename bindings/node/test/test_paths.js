"use strict";

const assert = require("node:assert/strict");
const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");
const { test } = require("node:test");
const curt = require("curt-fs");
const { descriptors, folder, plant, unprivileged } = require("./helper.js");

async function iterated(top, options) {
  const found = [];
  for await (const path of curt.walkPaths(top, options)) found.push(path);
  return found;
}

const FORMS = {
  paths: curt.paths,
  walkPaths: iterated,
  pathsSync: async (...words) => curt.pathsSync(...words),
};

function expected(top, { isExcluded = () => false, maxDepth = Infinity, only } = {}, below = "") {
  const directory = fs.opendirSync(path.join(top, below));
  const entries = [];
  for (let entry; (entry = directory.readSync()); ) {
    const relative = path.join(below, entry.name);
    const isDirectory = entry.isDirectory();
    if (!isExcluded(relative, isDirectory)) entries.push({ relative, isDirectory });
  }
  directory.closeSync();
  const isWanted = (entry) => !only || (only === "directories") === entry.isDirectory;
  const options = { isExcluded, maxDepth: maxDepth - 1, only };
  const inside = ({ relative, isDirectory }) =>
    isDirectory && maxDepth > 1 ? expected(top, options, relative) : [];
  const names = entries.filter(isWanted).map(({ relative }) => path.join(top, relative));
  return [...names, ...entries.flatMap(inside)];
}

const isA = (relative, isDirectory) => isDirectory && path.basename(relative) === "a";
const EXCLUDED = [
  [[], undefined],
  ["a", (relative) => isA(relative, true)],
  [["a/", "*.o"], (relative, isDirectory) => /\.o$/.test(relative) || isA(relative, isDirectory)],
  ["/b", (relative) => relative === "b"],
  [["b/**"], (relative) => relative.startsWith("b/")],
];

test("paths: are those that Node finds, with all options, in random trees", async () => {
  let seed = 42;
  const random = (most) => (seed = (seed * 48271) % 2147483647) % most;
  for (let tree = 0; tree < 12; tree += 1) {
    const top = folder();
    const places = [top];
    for (let made = 0; made < 120; made += 1) {
      const name = ["a", "b", "c.o", ".d", `${"näme \n".repeat(random(5))}${made}`][random(5)];
      const item = path.join(places[random(places.length)], name);
      if (fs.existsSync(item)) continue;
      const kind = random(4);
      if (kind === 0) fs.writeFileSync(item, "");
      else if (kind === 1) fs.symlinkSync("..", item);
      else places.push(fs.mkdirSync(item, { recursive: true }));
    }
    for (const [exclude, isExcluded] of EXCLUDED) {
      const maxDepth = [undefined, 1, 2, 3, Infinity][random(5)];
      const only = [undefined, "files", "directories"][random(3)];
      const options = { exclude, maxDepth, only };
      const known = expected(top, { isExcluded, maxDepth, only });
      for (const [name, form] of Object.entries(FORMS)) {
        assert.deepEqual(await form(top, options), known, `${name} ${JSON.stringify(options)}`);
      }
    }
  }
});

test("paths: begin with the top as passed", async () => {
  const top = plant({ "a/b": "" });
  fs.symlinkSync("a", path.join(top, "link"));
  process.chdir(top);
  try {
    for (const [given, paths] of [
      ["a", ["a/b"]],
      ["a/", ["a/b"]],
      ["./a", ["./a/b"]],
      ["link", ["link/b"]],
      [Buffer.from("a"), ["a/b"]],
      [pathToFileURL(path.join(top, "a")), [path.join(top, "a/b")]],
    ]) {
      for (const form of Object.values(FORMS)) assert.deepEqual(await form(given), paths);
    }
  } finally {
    process.chdir("/");
  }
});

test("paths: a tree of many batches is listed whole, and closed by leaving the loop", async () => {
  const top = folder();
  for (let at = 0; at < 300; at += 1) {
    const name = `${at}-${"x".repeat(240)}`;
    fs.mkdirSync(path.join(top, name));
    fs.writeFileSync(path.join(top, name, name), "");
  }
  for (const form of Object.values(FORMS)) assert.deepEqual(await form(top), expected(top));
  const before = descriptors();
  for await (const path of curt.walkPaths(top)) {
    assert.equal(descriptors().length, before.length + 1);
    if (path) break;
  }
  assert.deepEqual(descriptors(), before);
  const onError = () => assert.fail();
  const controller = new AbortController();
  const walk = curt.walkPaths(top, { signal: controller.signal, onError });
  await walk.next();
  controller.abort();
  await assert.rejects(walk.next(), { name: "AbortError" });
  assert.deepEqual(descriptors(), before);
});

test("paths: a failure ends them, or goes to onError", async () => {
  const top = plant({ "a/b": "", "c/d": "", e: "" });
  fs.chmodSync(top, 0o755);
  fs.chmodSync(path.join(top, "a"), 0);
  for (const form of Object.values(FORMS)) {
    for (const [name, code, syscall] of [
      ["missing", "ENOENT", "lstat"],
      ["e", "ENOTDIR", "scandir"],
    ]) {
      const target = path.join(top, name);
      await assert.rejects(form(target), { code, syscall, path: target });
      const codes = [];
      const onError = ({ code }) => codes.push(code);
      assert.deepEqual(await form(target, { onError }), []);
      assert.deepEqual(codes, [code]);
    }
    await unprivileged(async () => {
      const a = path.join(top, "a");
      const refused = { code: "EACCES", syscall: "scandir", path: a };
      await assert.rejects(form(top), refused);
      const failed = [];
      const onError = ({ code, syscall, path }) => failed.push({ code, syscall, path });
      const found = await form(top, { onError });
      assert.deepEqual(found.sort(), ["a", "c", "c/d", "e"].map((name) => path.join(top, name)));
      assert.deepEqual(failed, [refused]);
    });
  }
  fs.chmodSync(path.join(top, "a"), 0o755);
});

test("paths: wrong arguments are refused at once", () => {
  const [type, value] = ["ERR_INVALID_ARG_TYPE", "ERR_INVALID_ARG_VALUE"];
  for (const [top, options, code, message] of [
    [7, {}, type, /"path"/],
    ["a\0b", {}, value, /'path'/],
    [".", { exclude: 7 }, type, /"options.exclude"/],
    [".", { exclude: [/a/] }, type, /"options.exclude"/],
    [".", { exclude: ["a", "[b"] }, value, /'options.exclude' has an invalid pattern '\[b': /],
    [".", { maxDepth: "1" }, type, /"options.maxDepth"/],
    [".", { maxDepth: 0 }, "ERR_OUT_OF_RANGE", /"options.maxDepth"/],
    [".", { only: "file" }, value, /'options.only' must be one of: 'files', 'directories'/],
    [".", { onError: 7 }, type, /"options.onError"/],
  ]) {
    for (const call of [curt.walkPaths, curt.pathsSync]) {
      assert.throws(() => call(top, options), { code, message }, JSON.stringify(options));
    }
  }
});
