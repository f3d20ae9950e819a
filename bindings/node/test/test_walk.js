"use strict";

const assert = require("node:assert/strict");
const { once } = require("events");
const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");
const { test } = require("node:test");
const { Worker } = require("worker_threads");
const curt = require("curt-fs");
const { descriptors, folder, plant } = require("./helper.js");

const TREE = { "a/b/c": "c", "a/d": "d", "a/e/f/g": "g", h: "h" };

async function walked(top, options, prune) {
  const found = [];
  for await (const directory of curt.walk(top, options)) {
    prune?.(directory);
    found.push({
      path: directory.path,
      directories: [...directory.directories].sort(),
      files: directory.files.sort(),
    });
  }
  return found;
}

function entriesOf(target) {
  const directory = fs.opendirSync(target);
  const entries = [];
  for (let entry; (entry = directory.readSync()); ) entries.push(entry);
  directory.closeSync();
  return entries;
}

function expected(top, order) {
  const entries = entriesOf(top);
  const names = (matches) => entries.filter(matches).map((entry) => entry.name);
  const directories = names((entry) => entry.isDirectory());
  const files = names((entry) => !entry.isDirectory()).sort();
  return [
    { path: top, directories: [...directories].sort(), files },
    ...order(directories).flatMap((name) => expected(`${top}/${name}`, order)),
  ];
}

const asListed = (names) => names;
const sorted = (names) => [...names].sort();

test("walk: yields each directory before those in it, as Node lists them", async () => {
  const top = plant(TREE);
  fs.symlinkSync("a", path.join(top, "link"));
  fs.mkdirSync(path.join(top, "empty"));
  assert.deepEqual(await walked(top), expected(top, asListed));
  assert.deepEqual(await walked(pathToFileURL(top)), expected(top, asListed));
  assert.deepEqual(await walked(Buffer.from(top)), expected(top, asListed));
  assert.deepEqual(await walked(new Uint8Array(Buffer.from(top))), expected(top, asListed));
  const link = path.join(top, "link");
  assert.deepEqual(await walked(link), expected(link, asListed));
});

test("walk: trees of many directories, wide and deep, are those of Node", async () => {
  let seed = 42;
  const random = (most) => (seed = (seed * 48271) % 2147483647) % most;
  for (let tree = 0; tree < 20; tree += 1) {
    const top = folder();
    const places = [top];
    for (let made = 0; made < 150; made += 1) {
      const name = `${"näme \n".repeat(random(5))}${made}`;
      const item = path.join(places[random(places.length)], name);
      const kind = random(4);
      if (kind === 0) fs.writeFileSync(item, "");
      else if (kind === 1) fs.symlinkSync("..", item);
      else places.push(fs.mkdirSync(item, { recursive: true }));
    }
    assert.deepEqual(await walked(top), expected(top, asListed), `tree ${tree}`);
    const sort = (directory) => directory.directories.sort();
    assert.deepEqual(await walked(top, {}, sort), expected(top, sorted), `tree ${tree}, sorted`);
  }
});

test("walk: more names than are listed in one go", async () => {
  const top = folder();
  for (let at = 0; at < 300; at += 1) {
    const name = `${at}-${"x".repeat(240)}`;
    fs.mkdirSync(path.join(top, name));
    fs.writeFileSync(path.join(top, name, name), "");
  }
  assert.deepEqual(await walked(top), expected(top, asListed));
});

test("walk: directories removed from the list are not walked", async () => {
  const top = plant({ "a/x/1": "", "b/x/2": "", "c/3": "" });
  const paths = async (prune) =>
    (await walked(top, {}, prune)).map((found) => path.relative(top, found.path)).sort();
  const all = ["", "a", "a/x", "b", "b/x", "c"];
  assert.deepEqual(await paths(), all);
  const without = (name) => all.filter((found) => !found.split("/").includes(name));
  const remove = (name) => (directory) => {
    const at = directory.directories.indexOf(name);
    if (at >= 0) directory.directories.splice(at, 1);
  };
  assert.deepEqual(await paths(remove("a")), without("a"));
  assert.deepEqual(await paths(remove("x")), without("x"));
  assert.deepEqual(await paths((directory) => (directory.directories = [])), [""]);
  assert.deepEqual(await paths((directory) => (directory.directories.length = 0)), [""]);
  assert.deepEqual(await paths((directory) => directory.directories.push("c", "../a", 7)), all);
  for (const wrong of [undefined, null, "a", 7]) {
    const walk = curt.walk(top);
    (await walk.next()).value.directories = wrong;
    await assert.rejects(walk.next(), { name: "TypeError", code: "ERR_INVALID_ARG_TYPE" });
  }
});

test("walk: names that are not UTF-8 are entered", async () => {
  const top = folder();
  const made = [Buffer.from([0xff]), Buffer.from([0xfe]), Buffer.from("ok")].map((name) =>
    Buffer.concat([Buffer.from(`${top}/`), name]),
  );
  for (const [at, item] of made.entries()) {
    fs.mkdirSync(item);
    fs.writeFileSync(Buffer.concat([item, Buffer.from(`/${at}`)]), "");
  }
  const found = await walked(top);
  assert.deepEqual(found[0].directories, fs.readdirSync(top).sort());
  assert.deepEqual(found.flatMap(({ files }) => files).sort(), ["0", "1", "2"]);
  const keep = (directory) =>
    (directory.directories = directory.directories.filter((name) => name !== "ok"));
  const kept = await walked(top, {}, keep);
  assert.deepEqual(kept.flatMap(({ files }) => files).sort(), ["0", "1"]);
  assert.deepEqual((await walked(made[0]))[0].files, ["0"]);
});

test("walk: deeper than a path may be long", async () => {
  const top = folder();
  const name = "x".repeat(200);
  const start = process.cwd();
  try {
    process.chdir(top);
    for (let depth = 0; depth < 60; depth += 1) {
      fs.mkdirSync(name);
      process.chdir(name);
    }
  } finally {
    process.chdir(start);
  }
  const found = await walked(top);
  assert.equal(found.length, 61);
  assert.equal(found.at(-1).path, `${top}${`/${name}`.repeat(60)}`);
  curt.rmSync(top, { recursive: true });
});

test("walk: a failure ends it, or goes to onError", async () => {
  const top = plant(TREE);
  const missing = path.join(top, "missing");
  await assert.rejects(walked(missing), {
    message: `ENOENT: no such file or directory, scandir '${missing}'`,
    code: "ENOENT",
    errno: -2,
    syscall: "scandir",
    path: missing,
  });
  await assert.rejects(walked(path.join(top, "h")), { code: "ENOTDIR", syscall: "scandir" });
  const errors = [];
  const onError = (error) => errors.push(`${error.code} ${path.relative(top, error.path)}`);
  assert.deepEqual(await walked(missing, { onError }), []);
  let seen = 0;
  for await (const directory of curt.walk(top, { onError })) {
    seen += 1;
    if (directory.path !== path.join(top, "a")) continue;
    fs.rmSync(path.join(top, "a", "b"), { recursive: true });
    fs.renameSync(path.join(top, "a", "e"), path.join(top, "e"));
    fs.symlinkSync("../e", path.join(top, "a", "e"));
  }
  assert.equal(seen, 2);
  assert.deepEqual(errors.sort(), ["ENOENT a/b", "ENOENT missing", "ENOTDIR a/e"]);
  const thrown = new Error("thrown");
  const throwing = () => {
    throw thrown;
  };
  await assert.rejects(walked(missing, { onError: throwing }), thrown);
});

test("walk: wrong arguments have Node's errors at once", () => {
  for (const wrong of ["", "a\0b", 7, null, undefined, {}, new URL("http://a/b")]) {
    let theirs;
    try {
      fs.readdirSync(wrong);
    } catch (error) {
      theirs = error;
    }
    const { name, code, message } = theirs;
    assert.throws(() => curt.walk(wrong), { name, code, message });
  }
  for (const options of [{ onError: 7 }, { signal: 7 }, { signal: {} }]) {
    const error = { name: "TypeError", code: "ERR_INVALID_ARG_TYPE" };
    assert.throws(() => curt.walk(".", options), error);
  }
  const error = new Error("getter");
  const options = {
    get signal() {
      throw error;
    },
  };
  assert.throws(() => curt.walk(".", options), error);
});

test("walk: an aborted signal ends it between directories", async () => {
  const top = plant(TREE);
  for (const options of [{}, { onError: assert.fail }]) {
    const controller = new AbortController();
    const { signal } = controller;
    let seen = 0;
    const count = () => {
      seen += 1;
      controller.abort();
    };
    await assert.rejects(walked(top, { ...options, signal }, count), { name: "AbortError" });
    assert.equal(seen, 1);
  }
});

test("walk: is closed by leaving the loop, by an error in it, and by the collector", async () => {
  const top = plant(TREE);
  const before = descriptors();
  for await (const directory of curt.walk(top)) {
    assert.equal(descriptors().length, before.length + 1);
    if (directory) break;
  }
  assert.deepEqual(descriptors(), before);
  const thrown = new Error("thrown");
  const throwing = () => {
    throw thrown;
  };
  await assert.rejects(walked(top, {}, throwing), thrown);
  assert.deepEqual(descriptors(), before);
  const walk = curt.walk(top);
  await walk.next();
  await assert.rejects(walk.throw(thrown), thrown);
  assert.deepEqual(await walk.next(), { value: undefined, done: true });
  assert.deepEqual(descriptors(), before);
  await curt.walk(top).return();
  await (async () => curt.walk(top).next())();
  for (let turn = 0; turn < 50 && descriptors().length > before.length; turn += 1) {
    global.gc();
    await new Promise(setImmediate);
  }
  assert.deepEqual(descriptors(), before);
});

test("walk: is closed when its worker thread ends", async () => {
  const before = descriptors();
  const script = `
    const { parentPort, workerData } = require("worker_threads");
    const walk = require(workerData.curt).walk(workerData.top);
    walk.next().then(() => parentPort.postMessage("begun"));
    setInterval(() => {}, 1000);`;
  const workerData = { curt: require.resolve("curt-fs"), top: plant(TREE) };
  const worker = new Worker(script, { eval: true, workerData });
  await once(worker, "message");
  assert.equal(descriptors().length, before.length + 1);
  await worker.terminate();
  assert.deepEqual(descriptors(), before);
});

test("walk: several calls of next are in order", async () => {
  const top = plant(TREE);
  const walk = curt.walk(top);
  const results = await Promise.all(Array.from({ length: 9 }, () => walk.next()));
  const paths = results.filter(({ done }) => !done).map(({ value }) => value.path);
  assert.deepEqual(paths, expected(top, asListed).map((found) => found.path));
  const stopped = curt.walk(top);
  const [first, second, third] = await Promise.all([
    stopped.next(),
    stopped.return("left"),
    stopped.next(),
  ]);
  assert.equal(first.value.path, top);
  assert.deepEqual(second, { value: "left", done: true });
  assert.deepEqual(third, { value: undefined, done: true });
});
