"use strict";

const assert = require("node:assert/strict");
const { execFileSync, spawnSync } = require("node:child_process");
const fs = require("fs");
const path = require("path");
const { test } = require("node:test");
const { pathToFileURL } = require("url");
const { Root } = require("curt-fs");
const { descriptors, folder, plant } = require("./helper.js");

const pipe = path.join(folder(), "fifo");
execFileSync("mkfifo", [pipe]);

function tree() {
  const top = path.join(folder(), "top");
  plant({ "a/b/c": "c", "a/d": "d", e: "e", "../outside/secret": "secret" }, top);
  for (const [target, name] of [
    ["a", "to-directory"],
    ["e", "to-file"],
    ["../outside", "out"],
    ["/etc", "absolute"],
    ["nowhere", "broken"],
    ["loop", "loop"],
  ]) {
    fs.symlinkSync(target, path.join(top, name));
  }
  fs.mkdirSync(path.join(top, "empty"));
  fs.linkSync(pipe, path.join(top, "fifo"));
  return top;
}

function openTree() {
  const top = tree();
  fs.chmodSync(path.dirname(top), 0o755);
  for (const open of [".", "a", "a/b", "empty"]) fs.chmodSync(path.join(top, open), 0o777);
  plant({ "fixed/in/x": "x", "locked/x": "x" }, top);
  fs.chmodSync(path.join(top, "locked"), 0o700);
  fs.writeFileSync(Buffer.from(`${top}/fixed/in/\xff\n`, "latin1"), "");
  return top;
}

async function forUsers(t, call) {
  const [self, before] = [process.getuid(), process.cwd()];
  if (self !== 0) t.diagnostic("skipped: as nobody: needs root");
  try {
    for (const user of self === 0 ? [self, 65534] : [self]) {
      const as = async (top, begin) => {
        process.seteuid(user);
        process.chdir(top);
        const found = await outcome(begin());
        process.chdir(before);
        process.seteuid(self);
        return found;
      };
      await call(user, as);
    }
  } finally {
    process.seteuid(self);
    process.chdir(before);
  }
}

function listed(top) {
  const encoding = "latin1";
  const entries = fs.readdirSync(Buffer.from(top, encoding), { withFileTypes: true, encoding });
  const found = entries.flatMap((entry) => {
    const below = entry.isDirectory() ? listed(`${top}/${entry.name}`) : [];
    return [entry.name, ...below.map((name) => `${entry.name}/${name}`)];
  });
  return found.sort();
}

async function outcome(promise) {
  try {
    return { value: await promise };
  } catch (error) {
    const { name, code, errno, syscall, path, dest, message } = error;
    const [head] = error.stack.split("\n");
    const shown = { keys: Object.keys(error), text: String(error), head };
    return { error: { name, code, errno, syscall, path, dest, message, ...shown } };
  }
}

const METHODS = {
  readdir: (it, name) => it.readdir(name).then((names) => names.sort()),
  stat: (it, name) => it.stat(name),
  lstat: (it, name) => it.lstat(name),
  readlink: (it, name) => it.readlink(name),
  mkdir: (it, name) => it.mkdir(name),
  "mkdir recursive": (it, name) => it.mkdir(name, { recursive: true }),
  rename: (it, name) => it.rename(name, "renamed"),
  "rename to": (it, name) => it.rename("e", name),
  symlink: (it, name) => it.symlink("e", name),
  link: (it, name) => it.link(name, "linked"),
  "link to": (it, name) => it.link("e", name),
  unlink: (it, name) => it.unlink(name),
  rmdir: (it, name) => it.rmdir(name),
  rm: (it, name) => it.rm(name),
  "rm force": (it, name) => it.rm(name, { force: true }),
  "rm recursive": (it, name) => it.rm(name, { recursive: true }),
  "rm recursive force": (it, name) => it.rm(name, { recursive: true, force: true }),
};
const INSIDE = ["e", "a", "a/d", "a/b/c", "empty", "to-directory", "to-directory/d", "to-file"];
INSIDE.push("broken", "loop", "missing", "missing/below", "e/below", "fifo", "locked", "locked/x");
INSIDE.push("fixed/in", "fixed/in/x", "a/../a");
const ENDS = ["", "/", "/.", "/.."];
const ODD = ["", ".", "./", ".//a", "a/b/../d", "x".repeat(300), "a/".repeat(2100), "\ud800"];
ODD.push(Buffer.from("a/d"), Buffer.from("e/"), Buffer.from("fixed/in/\xff\n", "latin1"));
const MADE = ["new/../c", "a/n/m", "a//n//m", "a/./n/./m", "a/../new/x", "e/x/y", "broken/x/y"];
MADE.push("to-directory/n/m", "to-file/x", "missing/../b/c", "locked/x/y", "fixed/x", "fixed/x/y");
MADE.push("\ud800/x", Buffer.from("q\xff/r", "latin1"), "x".repeat(255), `${"x".repeat(256)}/y`);
MADE.push("new//", ".//new", "e/../x", "loop/x", "a/b");
MADE.push(`a/new/${"x".repeat(256)}`, `a/${"d/".repeat(2100)}x`, `${"y/".repeat(50)}z`);

test("root: has the results and errors of Node", async (t) => {
  const names = [...INSIDE.flatMap((name) => ENDS.map((end) => name + end)), ...ODD];
  await forUsers(t, async (user, as) => {
    let [theirs, ours] = [];
    const fresh = listed(openTree());
    for (const [method, call] of Object.entries(METHODS)) {
      for (const name of method.startsWith("mkdir") ? [...names, ...MADE] : names) {
        const isTree = method.startsWith("rm recursive");
        if (isTree && /\.\.$|^(to-directory|loop|broken)\/$/.test(name)) continue;
        if (user !== 0 && /^locked\/$/.test(name)) continue;
        if (ours === undefined) [theirs, ours] = [openTree(), openTree()];
        const expected = await as(theirs, () => call(fs.promises, name));
        const root = await Root.open(ours);
        const found = await as("/", () => call(root, name));
        root.close();
        const shown = `${user} ${method} ${String(name).slice(0, 40)}`;
        if (expected.value instanceof fs.Stats) {
          assert.deepEqual(found.value?.mode, expected.value.mode, shown);
          const again = await as(ours, () => fs.promises[method](name));
          assert.deepEqual(found, again, shown);
        } else {
          assert.deepEqual(found, expected, shown);
        }
        const now = listed(ours);
        assert.deepEqual(now, listed(theirs), shown);
        if (now.join() !== fresh.join()) ours = undefined;
      }
    }
  });
});

/** While `unlink` is delayed and then fails, a tree replaces the file. */
const REPLACE = `
const fs = require("fs");
require("curt-fs").Root.open(".").then((root) => {
  root.rm("e").catch((error) => console.log(error.code, error.path));
  setTimeout(() => {
    fs.renameSync("e", "was");
    fs.renameSync("a", "e");
  }, 300);
});
`;

test("root: without recursive, a tree that replaces a file remains", (t) => {
  const top = tree();
  const inject = "inject=unlinkat:error=EPERM:delay_exit=1s:when=1";
  const words = ["-f", "-qq", "-o", "/dev/null", "-e", "trace=unlinkat", "-e", inject];
  const env = { ...process.env, NODE_PATH: path.dirname(path.dirname(require.resolve("curt-fs"))) };
  const options = { cwd: top, env, encoding: "utf8" };
  const done = spawnSync("strace", [...words, process.execPath, "-e", REPLACE], options);
  if (done.error || /PTRACE|ptrace/.test(done.stderr)) {
    return t.skip("strace is not installed, or may not trace");
  }
  assert.equal(done.stdout, "EPERM e\n", done.stderr);
  assert.deepEqual(listed(path.join(top, "e")), ["b", "b/c", "d"]);
});

test("root: makes directories with the mode that is passed", async () => {
  const [theirs, ours] = [tree(), tree()];
  const root = await Root.open(ours);
  const modes = [undefined, 0, 0o700, 0o750, 0o777, 0o1777];
  for (const [at, mode] of [...modes, ...modes].entries()) {
    const options = { mode, recursive: at < modes.length };
    const names = options.recursive ? [`m${at}`, `m${at}/x`] : [`m${at}`];
    await fs.promises.mkdir(path.join(theirs, names.at(-1)), options);
    await root.mkdir(names.at(-1), options);
    for (const name of names) {
      const [expected, found] = [theirs, ours].map((top) => fs.statSync(path.join(top, name)).mode);
      assert.equal(found, expected, `${JSON.stringify(options)} ${name}`);
    }
  }
});

async function opened(opening) {
  const found = await outcome(opening);
  if (found.error) return found;
  const info = fs.readFileSync(`/proc/self/fdinfo/${found.value}`, "utf8");
  const { mode, size } = fs.fstatSync(found.value);
  fs.closeSync(found.value);
  return { flags: /flags:\s*(\d+)/.exec(info)[1], mode, size };
}

test("root: opens with the flags of fs.open", async (t) => {
  if (process.platform !== "linux") return t.skip("descriptors are not in /proc");
  const { O_RDWR, O_WRONLY, O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_NOFOLLOW, O_NONBLOCK } =
    fs.constants;
  const flags = ["r", "r+", "w", "wx", "xw", "w+", "wx+", "xw+", "a", "ax", "xa", "a+", "ax+"];
  flags.push("xa+", 0, O_WRONLY, O_RDWR | O_CREAT, O_CREAT | O_EXCL | O_WRONLY, O_NONBLOCK);
  flags.push(O_WRONLY | O_TRUNC, O_APPEND, O_RDWR | O_APPEND | O_NOFOLLOW, undefined, null);
  flags.push(O_EXCL, O_RDWR | O_WRONLY, O_WRONLY | O_APPEND | fs.constants.O_SYNC);
  const promised = (...words) =>
    new Promise((resolve, reject) => {
      fs.open(...words, (error, fd) => (error ? reject(error) : resolve(fd)));
    });
  const before = process.cwd();
  for (const how of flags) {
    const [theirs, ours] = [tree(), tree()];
    for (const name of ["e", "new", "a", "to-file", "broken", "missing/new", "loop", "a/d/x"]) {
      process.chdir(theirs);
      const expected = await opened(promised(name, how ?? "r", 0o4751));
      process.chdir(before);
      const root = await Root.open(ours);
      const shown = `${how} ${name}`;
      assert.deepEqual(await opened(root.open(name, how, 0o4751)), expected, shown);
      assert.deepEqual(listed(ours), listed(theirs), shown);
    }
  }
});

test("root: one beneath another has its options", async () => {
  const root = await Root.open(tree(), { strict: true });
  const below = await root.openRoot("a");
  await assert.rejects(below.open("d "), { code: "EXDEV", message: /ends in a dot or a space/ });
});

test("root: a closed root does nothing", async () => {
  const top = tree();
  const root = await Root.open(pathToFileURL(top));
  const below = await root.openRoot("a");
  const reading = root.readdir(".");
  root.close();
  root.close();
  assert.equal((await reading).length, fs.readdirSync(top).length);
  assert.deepEqual((await below.readdir(".")).sort(), ["b", "d"]);
  const calls = { ...METHODS, open: (it) => it.open("e"), openRoot: (it) => it.openRoot("a") };
  const names = Object.getOwnPropertyNames(Root.prototype);
  const others = new Set(["constructor", "close"]);
  for (const name of names) assert.ok(name in calls || others.has(name), name);
  for (const call of Object.values(calls)) {
    await assert.rejects(call(root, "e"), { code: "ERR_DIR_CLOSED" });
  }
  await below[Symbol.asyncDispose]?.();
  below[Symbol.dispose]?.();
  below.close();
  await assert.rejects(below.stat("d"), { code: "ERR_DIR_CLOSED" });
});

test("root: removals that wait for their turn outlast it", async () => {
  const top = tree();
  const root = await Root.open(top);
  const removals = ["a", "e", "missing"].map((name) => root.rm(name, { recursive: true }));
  root.close();
  const settled = await Promise.allSettled(removals);
  assert.deepEqual(settled.map(({ reason }) => reason?.code), [undefined, undefined, "ENOENT"]);
  assert.equal(["a", "e"].some((name) => fs.existsSync(path.join(top, name))), false);
  // Checks only this folder, because garbage of earlier tests may close other descriptors.
  assert.equal(descriptors().some((fd) => fs.readlinkSync(`/proc/self/fd/${fd}`) === top), false);
});

test("root: wrong arguments have the errors of Node", async () => {
  const root = await Root.open(tree());
  const expected = "string, Uint8Array, or URL";
  assert.throws(() => new Root("."), { name: "TypeError", code: "ERR_ILLEGAL_CONSTRUCTOR" });
  for (const name of ["a\0b", Buffer.from("a\0b"), 7, undefined, null, {}, new URL("http://a")]) {
    for (const method of ["lstat", "unlink", "rename", "link"]) {
      const theirs = await outcome(fs.promises[method](name, "x"));
      const ours = await outcome(root[method](name, "x"));
      if (/^v18\./.test(process.version)) {
        for (const key of ["message", "text", "head"]) {
          theirs.error[key] = theirs.error[key].replace("string or Uint8Array", expected);
        }
      }
      assert.deepEqual(ours, theirs, `${method} ${name}`);
    }
    const code = (await outcome(fs.promises.stat(name))).error.code;
    await assert.rejects(Root.open(name), { code });
  }
  for (const [code, ...words] of [
    ["ERR_INVALID_ARG_VALUE", "e", "rz"],
    ["ERR_INVALID_ARG_VALUE", "e", "rs"],
    ["ERR_INVALID_ARG_VALUE", "e", fs.constants.O_DIRECTORY],
    ["ERR_INVALID_ARG_VALUE", "e", 2 ** 40],
    ["ERR_INVALID_ARG_VALUE", "e", {}],
    ["ERR_INVALID_ARG_VALUE", "e", "constructor"],
    ["ERR_INVALID_ARG_TYPE", "e", "r", "7"],
    ["ERR_OUT_OF_RANGE", "e", "r", -1],
    ["ERR_OUT_OF_RANGE", "e", "r", 2 ** 32],
  ]) {
    await assert.rejects(root.open(...words), { code }, words.join());
  }
  await assert.rejects(root.rm("e", { recursive: 1 }), { code: "ERR_INVALID_ARG_TYPE" });
  await assert.rejects(root.mkdir("x", { recursive: 1 }), { code: "ERR_INVALID_ARG_TYPE" });
  await assert.rejects(root.mkdir("x", { mode: "7" }), { code: "ERR_INVALID_ARG_TYPE" });
  await assert.rejects(root.mkdir("x", { mode: -1 }), { code: "ERR_OUT_OF_RANGE" });
  await assert.rejects(Root.open(".", { strict: "yes" }), { code: "ERR_INVALID_ARG_TYPE" });
  await assert.rejects(Root.open("missing"), { code: "ENOENT", syscall: "opendir" });
  await assert.rejects(Root.open(__filename), { code: "ENOTDIR", syscall: "opendir" });
});
test("root: descriptors do not leak", async (t) => {
  if (process.platform !== "linux") return t.skip("descriptors are not in /proc");
  const top = tree();
  async function count() {
    for (let round = 0; round < 10; round += 1) {
      globalThis.gc();
      await new Promise(setImmediate);
    }
    return fs.readdirSync("/proc/self/fd").length;
  }
  let before;
  for (let round = 0; round < 60; round += 1) {
    if (round === 10) before = await count();
    const root = await Root.open(top);
    const calls = [root.readdir("."), root.open("gone"), root.stat("e"), root.rm("gone")];
    await Promise.allSettled(calls);
    const below = await root.openRoot("a");
    fs.closeSync(await below.open("d"));
    if (round % 2) root.close();
  }
  assert.equal(await count(), before);
});
