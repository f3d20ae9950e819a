"use strict";

const assert = require("node:assert/strict");
const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");
const { spawnSync } = require("child_process");
const { test } = require("node:test");
const curt = require("curt-fs");
const { folder, plant } = require("./helper.js");

const NAMES = ["b/x/2", "b/1", "a/q/z/5", "a/q/4", "a/3", "0", "zz", "B"];
const TREE = Object.fromEntries(NAMES.map((name) => [name, ""]));

const FORMS = {
  callback: (fs, ...words) =>
    new Promise((resolve, reject) => {
      fs.readdir(...words, (error, names) => (error ? reject(error) : resolve(names)));
    }),
  promise: (fs, ...words) => fs.promises.readdir(...words),
  sync: async (fs, ...words) => fs.readdirSync(...words),
};

/** Calls `take` for each form of `readdir`, as a test. */
function testForms(title, take) {
  for (const [name, form] of Object.entries(FORMS)) {
    test(`readdir, ${name}: ${title}`, () => take(form, name));
  }
}

/** What Node's function and curt's come to: a result, or an error. */
const both = (form, ...words) =>
  Promise.all([fs, curt].map((module) => form(module, ...words).catch((error) => error)));

/** In an order of its own: Node's promises list the subdirectories that are found last first. */
const inOrder = (found) =>
  found instanceof Error ? found : [...found].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
const keyOf = (entry) =>
  entry instanceof fs.Dirent ? `${entry.parentPath ?? entry.path}/${entry.name}` : String(entry);

const KEYS = ["name", "code", "errno", "syscall", "path", "message"];

/** Asserts that curt's function does what Node's does. */
async function assertSame(form, isOrdered, ...words) {
  let [theirs, ours] = await both(form, ...words);
  if (!isOrdered) [theirs, ours] = [inOrder(theirs), inOrder(ours)];
  const about = JSON.stringify(words);
  if (theirs instanceof Error) {
    assert.ok(ours instanceof Error, `${about} succeeds`);
    for (const key of KEYS) assert.equal(ours[key], theirs[key], `${key} of ${about}`);
  } else {
    assert.deepEqual(ours, theirs, about);
  }
}

testForms("lists what Node does", async (form, name) => {
  const top = plant(TREE);
  const below = plant({ "in/f": "", g: "" });
  fs.symlinkSync(below, path.join(top, "link"));
  fs.symlinkSync("nowhere", path.join(top, "a", "broken"));
  fs.symlinkSync("../zz", path.join(top, "a", "file"));
  fs.symlinkSync("itself", path.join(top, "itself"));
  fs.mkdirSync(path.join(top, "c", "empty"), { recursive: true });
  fs.writeFileSync(path.join(top, "c", "a\nb ü \u{1f600} '"), "");
  fs.writeFileSync(Buffer.from(path.join(top, "c/a\xff\xe2"), "latin1"), "");
  fs.mkdirSync(path.join(top, "c", "ü", "ü"), { recursive: true });
  spawnSync("mkfifo", [path.join(top, "c", "fifo")]);
  process.chdir(top);
  const tops = [top, `${top}/`, ".", "./", "c/..", "a//q/.", "c/empty", "link", "link/", "c"];
  for (const recursive of [false, true, undefined]) {
    for (const withFileTypes of [false, true, undefined]) {
      const options = { recursive, withFileTypes };
      for (const at of tops) {
        await assertSame(form, !recursive || name !== "promise", at, options);
      }
    }
  }
  await assertSame(form, true, pathToFileURL(top));
  await assertSame(form, name !== "promise", pathToFileURL(top), { recursive: true });
  await assertSame(form, true, top);
  await assertSame(form, true, "c", "latin1");
  process.chdir("/");
});

testForms("has names in any encoding", async (form) => {
  const top = plant({ "ü/a": "", "ü/b/c": "" });
  fs.writeFileSync(Buffer.from(`${top}/a\xff\xe2`, "latin1"), "");
  const options = { recursive: true, encoding: "buffer" };
  const bytes = await form(curt, top, options);
  const { stdout } = spawnSync("find", ["-mindepth", "1", "-printf", "%P\n"], { cwd: top });
  assert.deepEqual(bytes.map(String).sort(), String(stdout).trimEnd().split("\n").sort());
  for (const encoding of ["utf8", "UTF-8", "latin1", "hex", "base64", "ucs2", null, ""]) {
    const expected = bytes.map((name) => name.toString(encoding || "utf8"));
    assert.deepEqual(await form(curt, top, { recursive: true, encoding }), expected, encoding);
  }
  const entries = await form(curt, top, { ...options, withFileTypes: true });
  const above = (entry) => entry.parentPath ?? entry.path;
  assert.deepEqual(
    entries.map((entry) => `${above(entry)}/${entry.name}`),
    bytes.map((name) => `${top}/${name}`),
  );
  assert.equal(above(entries[0]), top);
  assert.ok(Buffer.isBuffer(above(entries[2])));
});

testForms("has the errors of Node", async (form, name) => {
  const top = plant(TREE);
  fs.symlinkSync("nowhere", path.join(top, "broken"));
  fs.symlinkSync("itself", path.join(top, "itself"));
  for (const file of ["missing", "zz", "zz/below", "broken", "itself", "x".repeat(300)]) {
    for (const options of [{}, { recursive: true }, { recursive: true, withFileTypes: true }]) {
      await assertSame(form, true, path.join(top, file), options);
    }
  }
  for (const words of [
    [""],
    ["a\0b"],
    [7],
    [top, 7],
    [top, "no encoding"],
    [top, { encoding: "no encoding" }],
    [top, { encoding: 7 }],
    [top, { recursive: "yes" }],
    [new URL("http://host/")],
    [new Uint8Array(3)],
  ]) {
    await assertSame(form, true, ...words);
  }
  // Node's callback form of these throws from its pool.
  if (name === "callback") return;
  await assertSame(form, true, Buffer.from(top), { recursive: true });
});
