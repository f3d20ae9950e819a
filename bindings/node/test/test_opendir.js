"use strict";

const assert = require("node:assert/strict");
const fs = require("fs");
const path = require("path");
const { test } = require("node:test");
const { promisify } = require("util");
const curt = require("curt-fs");
const { descriptors, folder, plant } = require("./helper.js");

const NAMES = ["b/x/2", "b/1", "a/q/z/5", "a/q/4", "a/3", "0", "zz", "B"];
const TREE = Object.fromEntries(NAMES.map((name) => [name, ""]));

const FORMS = {
  callback: (fs, ...words) =>
    new Promise((resolve, reject) => {
      fs.opendir(...words, (error, dir) => (error ? reject(error) : resolve(dir)));
    }),
  promise: (fs, ...words) => fs.promises.opendir(...words),
  sync: async (fs, ...words) => fs.opendirSync(...words),
};

function testForms(title, take) {
  for (const [name, form] of Object.entries(FORMS)) {
    test(`opendir, ${name}: ${title}`, () => take(form));
  }
}

const READS = {
  iterator: async (dir) => {
    const entries = [];
    for await (const entry of dir) entries.push(entry);
    return entries;
  },
  promise: async (dir) => {
    const entries = [];
    for (let entry; (entry = await dir.read()) !== null; ) entries.push(entry);
    await dir.close();
    return entries;
  },
  callback: async (dir) => {
    const entries = [];
    const read = promisify((done) => dir.read(done));
    for (let entry; (entry = await read()) !== null; ) entries.push(entry);
    await promisify((done) => dir.close(done))();
    return entries;
  },
  sync: async (dir) => {
    const entries = [];
    for (let entry; (entry = dir.readSync()) !== null; ) entries.push(entry);
    dir.closeSync();
    return entries;
  },
};

const keyOf = (entry) => `${entry.parentPath ?? entry.path}/${entry.name}`;
const inOrder = (entries) => [...entries].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

testForms("inherited options do not count", async (form) => {
  const top = plant(TREE);
  const given = Object.create({ recursive: true });
  const [theirs, ours] = [fs, curt].map((module) => form(module, top, given));
  const names = async (dir) => inOrder(await READS.promise(await dir)).map(({ name }) => name);
  assert.deepEqual(await names(ours), await names(theirs));
});

testForms("reads what readdir lists", async (form) => {
  const top = plant(TREE);
  fs.symlinkSync("a", path.join(top, "link"));
  fs.mkdirSync(path.join(top, "empty"));
  fs.mkdirSync(path.join(top, "ü"));
  fs.writeFileSync(path.join(top, "ü", "\n"), "");
  for (const [at, recursive] of [top, `${top}//`, path.join(top, "empty")].flatMap((at) => [
    [at, true],
    [at, false],
  ])) {
    const options = { recursive, withFileTypes: true };
    const expected = inOrder(await fs.promises.readdir(at, options));
    for (const [name, read] of Object.entries(READS)) {
      for (const bufferSize of [1, 32, 4096]) {
        const dir = await form(curt, at, { recursive, bufferSize });
        assert.ok(dir instanceof fs.Dir);
        assert.equal(dir.path, at);
        assert.deepEqual(inOrder(await read(dir)), expected, `${name} ${at}`);
      }
    }
  }
  assert.equal(descriptors().some((fd) => fs.readlinkSync(`/proc/self/fd/${fd}`) === top), false);
});

testForms("loses no entries of large subdirectories", async (form) => {
  const top = folder();
  fs.mkdirSync(path.join(top, "a", "b"), { recursive: true });
  const long = "x".repeat(200);
  for (const below of ["", "a", "a/b"]) {
    for (let number = 0; number < 1000; number += 1) {
      fs.writeFileSync(path.join(top, below, `${long}${number}`), "");
    }
  }
  for (const read of Object.values(READS)) {
    const entries = await read(await form(curt, top, { recursive: true, bufferSize: 2 }));
    assert.equal(new Set(entries.map(keyOf)).size, 3002);
    assert.equal(entries.length, 3002);
  }
});

testForms("has the errors of Node", async (form) => {
  const top = plant(TREE);
  fs.symlinkSync("itself", path.join(top, "itself"));
  for (const words of [
    [path.join(top, "missing"), { recursive: true }],
    [path.join(top, "zz"), { recursive: true }],
    [path.join(top, "itself"), { recursive: true }],
    ["", { recursive: true }],
    ["a\0b", { recursive: true }],
    [7, { recursive: true }],
    [top, 7],
    [top, { recursive: true, encoding: "none" }],
  ]) {
    const [theirs, ours] = await Promise.all(
      [fs, curt].map((module) => form(module, ...words).then(assert.fail, (error) => error)),
    );
    // Since Node 20, errors of opendirSync lack the path.
    if (ours.path && theirs.path === undefined) {
      [theirs.path, theirs.message] = [words[0], `${theirs.message} '${words[0]}'`];
    }
    for (const key of ["name", "code", "errno", "syscall", "path", "message"]) {
      assert.equal(ours[key], theirs[key], `${key} of ${JSON.stringify(words)}`);
    }
  }
  const options = { recursive: true, bufferSize: 0 };
  assert.throws(() => curt.opendirSync(top, options), { code: "ERR_OUT_OF_RANGE" });
});

testForms("goes on below what names are in an encoding, as Node does", async (form) => {
  const top = plant({ "ü/a": "" });
  for (const encoding of ["latin1", "hex"]) {
    const options = { recursive: true, encoding };
    const read = async (module) => READS.promise(await form(module, top, options));
    const [theirs, ours] = await Promise.all(
      [fs, curt].map((module) => read(module).then(assert.fail, ({ message }) => message)),
    );
    assert.equal(ours, theirs);
  }
});

testForms("has names as bytes", async (form) => {
  const dir = await form(curt, plant({ a: "a" }), { recursive: true, encoding: "buffer" });
  assert.deepEqual((await READS.iterator(dir)).map(({ name }) => name), [Buffer.from("a")]);
});

test("opendir: a closed directory has the errors of Node", async () => {
  const top = plant(TREE);
  for (const module of [fs, curt]) {
    const dir = module.opendirSync(top, { recursive: true });
    await dir.close();
    const message = "Directory handle was closed";
    const closed = { name: "Error", code: "ERR_DIR_CLOSED", message };
    assert.throws(() => dir.readSync(), closed);
    assert.throws(() => dir.closeSync(), closed);
    assert.throws(() => dir.read(() => {}), closed);
    await assert.rejects(async () => dir.read(), closed);
    await assert.rejects(dir.close(), closed);
    await assert.rejects(promisify((done) => dir.close(done))(), closed);
    const open = module.opendirSync(top, { recursive: true });
    for (const wrong of [7, null, {}]) {
      assert.throws(() => open.close(wrong), { code: "ERR_INVALID_ARG_TYPE", name: "TypeError" });
    }
    assert.throws(() => open.read(7), {
      code: "ERR_INVALID_ARG_TYPE",
      message: 'The "callback" argument must be of type function. Received type number (7)',
    });
    open.closeSync();
  }
});

test("opendir: concurrent calls run one after the other", async () => {
  const top = plant(TREE);
  const options = { recursive: true, withFileTypes: true };
  const expected = inOrder(fs.readdirSync(top, options));
  const dir = await curt.promises.opendir(top, { recursive: true });
  const concurrent = {
    name: "Error",
    code: "ERR_DIR_CONCURRENT_OPERATION",
    message:
      "Cannot do synchronous work on directory handle with concurrent asynchronous operations",
  };
  const reads = Array.from({ length: expected.length + 3 }, () => dir.read());
  assert.throws(() => dir.readSync(), concurrent);
  assert.throws(() => dir.closeSync(), concurrent);
  const closing = dir.close();
  const entries = await Promise.all(reads);
  await closing;
  assert.deepEqual(inOrder(entries.filter((entry) => entry !== null)), expected);
  assert.deepEqual(entries.slice(-3), [null, null, null]);
});

test("opendir: an error of a subdirectory is that of one read", async (t) => {
  if (process.getuid() !== 0) {
    t.skip("needs root, to become nobody");
    return;
  }
  const top = plant({ "a/f": "", "b/f": "", c: "" });
  fs.chmodSync(top, 0o755);
  fs.chmodSync(path.join(top, "a"), 0);
  const other = process.geteuid();
  process.seteuid(65534);
  try {
    const dir = curt.opendirSync(top, { recursive: true });
    const [names, errors] = [[], []];
    for (let more = true; more; ) {
      try {
        const entry = dir.readSync();
        if (entry) names.push(entry.name);
        more = entry !== null;
      } catch ({ code, syscall, path, message }) {
        errors.push({ code, syscall, path, message });
      }
    }
    dir.closeSync();
    assert.deepEqual(names.sort(), ["a", "b", "c", "f"]);
    const at = path.join(top, "a");
    const message = `EACCES: permission denied, opendir '${at}'`;
    assert.deepEqual(errors, [{ code: "EACCES", syscall: "opendir", path: at, message }]);
  } finally {
    process.seteuid(other);
  }
});

test("opendir: leaving the loop closes it, and so does the garbage collector", async () => {
  const top = plant(TREE);
  const isOpen = () =>
    descriptors().some((fd) => fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith(top));
  const dir = await curt.promises.opendir(top, { recursive: true });
  for await (const entry of dir) {
    assert.ok(entry instanceof fs.Dirent);
    break;
  }
  await assert.rejects(dir.close(), { code: "ERR_DIR_CLOSED" });
  assert.equal(isOpen(), false);
  (() => curt.opendirSync(top, { recursive: true }))();
  for (let round = 0; round < 20 && isOpen(); round += 1) {
    global.gc();
    await new Promise(setImmediate);
  }
  assert.equal(isOpen(), false);
});
