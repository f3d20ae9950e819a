"use strict";

const assert = require("node:assert/strict");
const { execFileSync, spawnSync } = require("child_process");
const { getEventListeners } = require("events");
const fs = require("fs");
const path = require("path");
const { test } = require("node:test");
const { promisify } = require("util");
const curt = require("curt-fs");
const { folder, plant } = require("./helper.js");

/** With `wrapper`, Node's functions do the work of `rm`; with `permission`, they do all work. */
const { CURT_FORMS: mode } = process.env;
if (mode === "wrapper") {
  const { unlink } = fs;
  fs.unlink = (...words) => unlink(...words);
}

const called = (call) => (top, options) => promisify(call)(top, options);

async function walked(top, options) {
  const found = [];
  for await (const { path } of curt.walk(top, options)) found.push(path);
  return found;
}

async function pathsOf(top, options) {
  const found = [];
  for await (const path of curt.walkPaths(top, options)) found.push(path);
  return found;
}

async function removedBeneath(top, options) {
  const root = await curt.Root.open(path.dirname(top));
  try {
    return await root.rm(path.basename(top), options);
  } finally {
    root.close();
  }
}

const TREE = { recursive: true };

/** Passes the options that curt's own function has. It refuses others. */
const taking = (names, call) => (top, options) => {
  const taken = Object.entries(options).filter(([name]) => names.includes(name));
  return call(top, Object.fromEntries(taken));
};

const copies = folder();
let copied = 0;
const copyOf = () => path.join(copies, `${(copied += 1)}`);
const FORMS = {
  "promises.cp": (top, options) => curt.promises.cp(top, copyOf(), options),
  cp: (top, options) => promisify((...words) => curt.cp(...words))(top, copyOf(), options),
  "promises.rm": curt.promises.rm,
  rm: called((...words) => curt.rm(...words)),
  "promises.readdir": curt.promises.readdir,
  readdir: called((...words) => curt.readdir(...words)),
  usage: taking(["signal", "threads"], curt.usage),
  remove: taking(["force", "signal", "threads"], curt.remove),
  statMany: taking(["signal"], (top, options) => curt.statMany([top], options)),
  "statMany, of links": taking(["signal"], (top, options) =>
    curt.statMany([top], { ...options, followSymlinks: false }),
  ),
  walk: taking(["signal"], walked),
  "walk, onError": taking(["signal"], (top, { signal }) =>
    walked(top, { signal, onError: assert.fail }),
  ),
  paths: taking(["signal"], curt.paths),
  walkPaths: taking(["signal"], pathsOf),
  "Root.rm": taking(["force", "recursive", "signal", "threads"], removedBeneath),
};
const SYNC = {
  cpSync: async (top, options) => curt.cpSync(top, copyOf(), options),
  rmSync: async (top, options) => curt.rmSync(top, options),
  readdirSync: async (top, options) => curt.readdirSync(top, options),
};
const WITH_THREADS = { ...FORMS, ...SYNC };
for (const name in FORMS) if (/statMany|walk|paths/i.test(name)) delete WITH_THREADS[name];

const listed = (top) => fs.readdirSync(top, { recursive: true }).sort();

const fifo = path.join(folder(), "fifo");
execFileSync("mkfifo", [fifo]);

function occupy() {
  const held = [1, 2, 3, 4].map(() => fs.promises.open(fifo));
  return async () => {
    const fd = fs.openSync(fifo, "r+");
    for (const file of await Promise.all(held)) await file.close();
    fs.closeSync(fd);
  };
}

const soon = { timeout: 60_000 };

for (const [name, form] of Object.entries(FORMS)) {
  const isNodes = /cp$|rm$|readdir/.test(name) && !name.startsWith("Root");
  for (const options of isNodes ? [TREE, {}] : [TREE]) {
    const title = `${name}, ${JSON.stringify(options)}`;
    const enough = { name: "AbortError", code: "ABORT_ERR", cause: "enough" };
    // Node's callback form lists a tree synchronously.
    const skip = mode === "permission" && name === "readdir" && options === TREE;

    test(`forms, ${title}: an aborted signal ends it before it begins`, soon, async () => {
      const top = plant({ "a/b": "b" });
      const ended = form(top, { ...options, signal: AbortSignal.abort("enough") });
      await assert.rejects(ended, enough);
      assert.deepEqual(fs.readdirSync(top), ["a"]);
      if (skip) return;
      const controller = new AbortController();
      const begun = form(top, { ...options, signal: controller.signal });
      controller.abort("enough");
      await assert.rejects(begun, enough);
    });

    const limits = { ...soon, skip };
    test(`forms, ${title}: calls aborted while they wait keep no slot`, limits, async () => {
      const top = plant({ "a/b": "b" });
      fs.mkdirSync(path.join(top, "empty"));
      const controllers = Array.from({ length: 10 }, () => new AbortController());
      const release = occupy();
      const calls = controllers.map(({ signal }, at) =>
        form(path.join(top, at % 2 ? "a" : "empty"), { ...options, signal }),
      );
      const settled = Promise.allSettled(calls);
      await new Promise(setImmediate);
      for (const controller of controllers) controller.abort("enough");
      await release();
      for (const { reason } of await settled) {
        assert.deepEqual([reason?.name, reason?.code, reason?.cause], Object.values(enough));
      }
      for (const { signal } of controllers) {
        assert.deepEqual(getEventListeners(signal, "abort"), []);
      }
      if (options === TREE && !mode) assert.deepEqual(listed(top), ["a", "a/b", "empty"]);
      await form(top, TREE);
    });
  }

  test(`forms, ${name}: a signal changes nothing else`, async () => {
    const { signal } = new AbortController();
    const answer = (promise) => promise.catch(({ code, syscall }) => ({ code, syscall }));
    const choices = [{}, { force: true }, { withFileTypes: true }];
    // With `--permission`, Node 22 and 24 throw for this encoding.
    if (mode !== "permission") choices.push({ encoding: "buffer" });
    for (const target of ["a", "a/b", "missing"]) {
      for (const options of [...choices, ...choices.map((choice) => ({ ...TREE, ...choice }))]) {
        process.chdir(plant({ "a/b": "b" }));
        const ours = await answer(form(target, { ...options, signal }));
        process.chdir(plant({ "a/b": "b" }));
        const shown = `${target} ${JSON.stringify(options)}`;
        if (!name.startsWith("statMany")) {
          assert.deepEqual(ours, await answer(form(target, options)), shown);
        }
      }
    }
    process.chdir("/");
  });

  test(`forms, ${name}: refuses what is no signal`, async () => {
    const top = plant({ "a/b": "b" });
    for (const signal of [7, null, "x", {}]) {
      const message = /"options.signal" property must be/;
      const refused = { code: "ERR_INVALID_ARG_TYPE", message };
      await assert.rejects(async () => form(top, { ...TREE, signal }), refused);
    }
    assert.deepEqual(fs.readdirSync(top), ["a"]);
  });
}

for (const [name, form] of Object.entries(WITH_THREADS)) {
  test(`forms, ${name}: takes a number of threads, and refuses others`, async () => {
    const top = plant({ "a/b": "b" });
    for (const [threads, code] of [
      ...[0, -1, 1.5, NaN, 1025].map((value) => [value, "ERR_OUT_OF_RANGE"]),
      ...["2", null, {}, true].map((value) => [value, "ERR_INVALID_ARG_TYPE"]),
    ]) {
      await assert.rejects(async () => form(top, { ...TREE, threads }), { code });
    }
    assert.deepEqual(fs.readdirSync(top), ["a"]);
    for (const threads of [undefined, "auto", 1, 2, 1024]) {
      await form(plant({ "a/b": "b" }), { ...TREE, threads });
    }
  });
}

test("forms: curt's own functions refuse unknown options, and Node's ignore them", async () => {
  const top = plant({ "a/b": "b" });
  const root = await curt.Root.open(top);
  const own = {
    walkPaths: (options) => curt.walkPaths(top, options),
    paths: (options) => curt.paths(top, options),
    pathsSync: (options) => curt.pathsSync(top, options),
    remove: (options) => curt.remove(top, options),
    removeSync: (options) => curt.removeSync(top, options),
    statMany: (options) => curt.statMany([top], options),
    usage: (options) => curt.usage(top, options),
    walk: (options) => curt.walk(top, options),
    which: (options) => curt.which("sh", options),
    whichSync: (options) => curt.whichSync("sh", options),
    "Root.open": (options) => curt.Root.open(top, options),
    "Root.mkdir": (options) => root.mkdir("c", options),
    "Root.rm": (options) => root.rm("a", options),
  };
  for (const [name, call] of Object.entries(own)) {
    const message = "The property 'options.recursiv' is unknown. Received true";
    const refused = { name: "TypeError", code: "ERR_INVALID_ARG_VALUE", message };
    await assert.rejects(async () => call({ recursiv: true }), refused, name);
  }
  root.close();
  assert.deepEqual(fs.readdirSync(top), ["a"]);
  for (const [name, form] of Object.entries({ ...FORMS, ...SYNC })) {
    await form(plant({ "a/b": "b" }), { ...TREE, recursiv: true }, name);
  }
});

const PERMISSION = ["--permission", "--experimental-permission"].find((name) =>
  process.allowedNodeEnvironmentFlags.has(name),
);
const ALLOWED = ["fs-read=*", "fs-write=*", "addons", "child-process"];
const WAYS = {
  wrapper: [],
  permission: PERMISSION && [PERMISSION, ...ALLOWED.map((name) => `--allow-${name}`)],
};
for (const [name, options] of mode ? [] : Object.entries(WAYS)) {
  const skip = options ? false : "this version of Node has no permissions";
  test(`forms: the same where Node's functions do the work: ${name}`, { skip }, () => {
    const env = { ...process.env, CURT_FORMS: name, NODE_TEST_CONTEXT: undefined };
    const words = [...options, "--no-warnings", __filename];
    const { status, stdout } = spawnSync(process.execPath, words, { env, encoding: "utf8" });
    assert.equal(status, 0, stdout);
  });
}
