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

function testForms(title, take) {
  for (const [name, form] of Object.entries(FORMS)) {
    test(`readdir, ${name}: ${title}`, () => take(form, name));
  }
}

const both = (form, ...words) =>
  Promise.all([fs, curt].map((module) => form(module, ...words).catch((error) => error)));

/** Node's promises descend into subdirectories in reverse order. */
const inOrder = (found) =>
  found instanceof Error ? found : [...found].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
const keyOf = (entry) =>
  entry instanceof fs.Dirent ? `${entry.parentPath ?? entry.path}/${entry.name}` : String(entry);

const KEYS = ["name", "code", "errno", "syscall", "path", "message"];

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

testForms("the same options count", async (form) => {
  const top = plant(TREE);
  const inherited = Object.assign(Object.create({ withFileTypes: true }), { recursive: true });
  const hidden = Object.defineProperty({}, "recursive", { value: true });
  for (const options of [inherited, hidden]) await assertSame(form, false, top, options);
});

testForms("what Object.prototype has counts where it does for Node", async (form) => {
  const top = plant(TREE);
  Object.prototype.recursive = true;
  try {
    for (const words of [[], [{ __proto__: null }], [{}]]) {
      await assertSame(form, false, top, ...words);
    }
  } finally {
    delete Object.prototype.recursive;
  }
});

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

testForms("has names in any encoding", async (form, name) => {
  const top = plant({ "ü/a": "", "ü/b/c": "" });
  fs.writeFileSync(Buffer.from(`${top}/a\xff\xe2`, "latin1"), "");
  const options = { recursive: true, encoding: "buffer" };
  const bytes = await form(curt, top, options);
  const { stdout } = spawnSync("find", ["-mindepth", "1", "-printf", "%P\n"], { cwd: top });
  assert.deepEqual(bytes.map(String).sort(), String(stdout).trimEnd().split("\n").sort());
  const names = await form(curt, top, { recursive: true });
  assert.deepEqual(names, bytes.map(String));
  for (const encoding of ["utf8", "UTF-8", null, ""]) {
    assert.deepEqual(await form(curt, top, { recursive: true, encoding }), names, encoding);
  }
  const ascii = plant(TREE);
  for (const encoding of ["latin1", "hex", "base64"]) {
    for (const withFileTypes of [false, true]) {
      for (const at of [top, ascii]) {
        const options = { recursive: true, encoding, withFileTypes };
        await assertSame(form, name !== "promise", at, options);
      }
    }
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
  // Here Node's callback form throws asynchronously.
  if (name === "callback") return;
  await assertSame(form, true, Buffer.from(top), { recursive: true });
});

function plantAny(seed) {
  const choose = (most) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * most);
  };
  const names = ["a", "a b", "a!", "ä", "\xff", "\n", "Z", "..a", "'", "\u{1f600}", "-", "b\\"];
  const [top, other] = [folder(), plant({ "in/f": "", g: "" })];
  const directories = [Buffer.from(top)];
  for (let count = choose(60); count > 0; count -= 1) {
    const above = directories[choose(directories.length)];
    const name = names[choose(names.length)];
    const encoding = name === "\xff" ? "latin1" : "utf8";
    const at = Buffer.concat([above, Buffer.from("/"), Buffer.from(name, encoding)]);
    if (fs.lstatSync(at, { throwIfNoEntry: false })) continue;
    // Node does not descend into a directory whose name is not UTF-8.
    const kind = encoding === "latin1" ? 4 : choose(8);
    if (kind < 4) {
      fs.mkdirSync(at);
      directories.push(at);
    } else if (kind < 6) {
      fs.writeFileSync(at, "");
    } else {
      fs.symlinkSync(["nowhere", "/dev/null", other, `${other}/g`][choose(4)], at);
    }
  }
  return top;
}

testForms("lists any tree as Node does", async (form, name) => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const top = plantAny(seed);
    for (const withFileTypes of [false, true]) {
      await assertSame(form, name !== "promise", top, { recursive: true, withFileTypes });
    }
  }
});

testForms("lists links that lead back, and does not follow them", async (form) => {
  const top = plant({ "a/b/c": "" });
  fs.symlinkSync("..", path.join(top, "a", "b", "up"));
  fs.symlinkSync(".", path.join(top, "here"));
  fs.symlinkSync(top, path.join(top, "a", "top"));
  const names = await form(curt, top, { recursive: true });
  assert.deepEqual(names, ["a", "here", "a/b", "a/top", "a/b/c", "a/b/up"]);
  const entries = await form(curt, top, { recursive: true, withFileTypes: true });
  assert.deepEqual(entries.map(({ name }) => name), names.map((name) => path.basename(name)));
  const links = entries.filter((entry) => entry.isSymbolicLink());
  assert.deepEqual(links.map(({ name }) => name), ["here", "top", "up"]);
});

function unlooped(top, below = "", ancestors = []) {
  const at = path.join(top, below);
  const here = fs.realpathSync(at);
  if (ancestors.includes(here)) return [];
  return fs.readdirSync(at).flatMap((name) => {
    const isDirectory = fs.statSync(path.join(at, name), { throwIfNoEntry: false })?.isDirectory();
    const next = path.join(below, name);
    return [next, ...(isDirectory ? unlooped(top, next, [...ancestors, here]) : [])];
  });
}

test("readdir: follows any links, once for each way there", async () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const outer = folder();
    const top = plant({ "a/b/f": "", "c/d/e/f": "", g: "" }, path.join(outer, "top"));
    const other = plant({ "x/f": "", "y/z/f": "" }, path.join(outer, "other"));
    const places = ["a", "a/b", "c/d", "c/d/e"].map((name) => path.join(top, name));
    places.push(top, path.join(other, "x"), path.join(other, "y/z"));
    const targets = [...places, other, ".", "..", "nowhere", "g"];
    for (let number = 0; number < seed % 7; number += 1) {
      const from = places[(seed * 5 + number * 3) % places.length];
      fs.symlinkSync(targets[(seed * 7 + number * 5) % targets.length], `${from}/link${number}`);
    }
    const expected = unlooped(top).sort();
    for (const threads of [1, 2, "auto"]) {
      const options = { recursive: true, threads };
      assert.deepEqual(curt.readdirSync(top, options).sort(), expected, `${seed}`);
      assert.deepEqual((await curt.promises.readdir(top, options)).sort(), expected, `${seed}`);
    }
  }
});

test("readdir: has the error of the first directory that may not be listed", (t) => {
  if (process.getuid() !== 0) {
    t.skip("needs root, to become nobody");
    return;
  }
  const top = plant({ "a/x/f": "", "b/f": "", "c/f": "", d: "" });
  fs.chmodSync(top, 0o755);
  for (const name of ["a/x", "b", "c"]) fs.chmodSync(path.join(top, name), 0);
  const script = `
    const forms = {
      sync: async (fs, ...words) => fs.readdirSync(...words),
      callback: (fs, ...words) => require("util").promisify(fs.readdir)(...words),
      promise: (fs, ...words) => fs.promises.readdir(...words),
    };
    const shown = ({ code, errno, syscall, path, message }) =>
      JSON.stringify([code, errno, syscall, path, message]);
    (async () => {
      for (const [name, form] of Object.entries(forms)) {
        for (const top of [process.argv[1], process.argv[1] + "//", process.argv[1] + "/b"]) {
          const failed = [require("fs"), require(process.argv[2])].map((module) =>
            form(module, top, { recursive: true }).then(String, shown));
          const [theirs, ours] = await Promise.all(failed);
          // Node's promises begin with the directory that was found last.
          if (name !== "promise" || top.endsWith("b")) require("assert").equal(ours, theirs);
          else require("assert").match(ours, /EACCES.*scandir/);
        }
      }
    })();`;
  const words = ["-e", script, top, require.resolve("curt-fs")];
  const nobody = { uid: 65534, gid: 65534, cwd: "/" };
  const { status, stderr } = spawnSync(process.execPath, words, nobody);
  assert.equal(status, 0, String(stderr));
});

test("readdir: an aborted signal ends it while its result is made", async (t) => {
  const controller = new AbortController();
  const { signal } = controller;
  signal.removeEventListener = () => controller.abort();
  let now = 0;
  t.mock.method(performance, "now", () => (now += 100));
  const listing = curt.promises.readdir(plant(TREE), { recursive: true, signal });
  await assert.rejects(listing, { name: "AbortError", code: "ABORT_ERR" });
});

testForms("lists more than becomes one string", async (form) => {
  const top = folder();
  const [name, below] = ["n".repeat(240), "d".repeat(200)];
  fs.mkdirSync(path.join(top, below));
  for (let number = 0; number < 2000; number += 1) {
    fs.writeFileSync(path.join(top, below, `${name}${number}`), "");
  }
  for (const options of [{}, { withFileTypes: true }]) {
    const all = { recursive: true, ...options };
    assert.deepEqual(await form(curt, top, all), fs.readdirSync(top, all));
  }
  const bytes = await form(curt, top, { recursive: true, encoding: "buffer" });
  assert.deepEqual(bytes.map(String), fs.readdirSync(top, { recursive: true }));
});

test("readdir: threads change nothing", async () => {
  const top = folder();
  for (let number = 0; number < 3000; number += 1) {
    const at = path.join(top, `${number % 7}`, `${number % 11}`, `${number % 13}`);
    fs.mkdirSync(at, { recursive: true });
    fs.writeFileSync(path.join(at, `${number}`), "");
  }
  const theirs = fs.readdirSync(top, { recursive: true });
  const entries = fs.readdirSync(top, { recursive: true, withFileTypes: true });
  for (const threads of [1, 2, 8, "auto"]) {
    const options = { recursive: true, threads };
    assert.deepEqual(curt.readdirSync(top, options), theirs);
    assert.deepEqual(await curt.promises.readdir(top, options), theirs);
    assert.deepEqual(curt.readdirSync(top, { ...options, withFileTypes: true }), entries);
  }
});
