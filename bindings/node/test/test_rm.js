"use strict";

const assert = require("node:assert/strict");
const { spawnSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const { after, test } = require("node:test");
const { setTimeout } = require("timers/promises");
const { inspect } = require("util");
const curt = require("curt-fs");
const { folder, plant, unprivileged } = require("./helper.js");

const TREE = { "a/b/c": "c", "a/d": "d", e: "e" };
const isRoot = process.getuid?.() === 0;

const FORMS = {
  callback: (fs, ...words) =>
    new Promise((resolve, reject) => {
      fs.rm(...words, (error) => (error ? reject(error) : resolve()));
    }),
  promise: (fs, ...words) => fs.promises.rm(...words),
  sync: async (fs, ...words) => fs.rmSync(...words),
};

/**
 * Compares `rmSync` with the promise form, because with `force` the errors of Node's `rmSync` vary
 * between versions.
 */
const ASYNC = { ...fs, rmSync: fs.promises.rm };

async function outcome(promise) {
  const error = await promise.then(
    () => undefined,
    (error) => error,
  );
  if (!(error instanceof Error)) return error;
  const { name, code, errno, syscall, path, message } = error;
  return { name, code, errno, syscall, path, message };
}

function pathsIn(top) {
  const found = [];
  const look = (at) => {
    fs.chmodSync(at, 0o700);
    for (const entry of fs.readdirSync(at, { withFileTypes: true, encoding: "buffer" })) {
      const below = Buffer.concat([at, Buffer.from("/"), entry.name]);
      found.push(below.subarray(Buffer.byteLength(top) + 1).toString("latin1"));
      if (entry.isDirectory()) look(below);
    }
  };
  look(Buffer.from(top));
  return found.sort();
}

async function removeIn(rm, fill, words) {
  const top = folder();
  fs.chmodSync(top, 0o777);
  process.chdir(top);
  after(() => process.chdir("/"));
  await unprivileged(fill);
  return { top, came: await unprivileged(() => outcome(rm(...words))) };
}

async function compare(fill, words) {
  const ours = [];
  for (const rm of Object.values(FORMS)) {
    const { top, came } = await removeIn((...words) => rm(curt, ...words), fill, words);
    ours.push({ came, left: pathsIn(top) });
  }
  const { top, came } = await removeIn(fs.promises.rm, fill, words);
  let left = pathsIn(top);
  // Wait, because Node reports the first failure while it still removes entries.
  for (let waited = 0; left.length > ours[0].left.length && waited < 10_000; waited += 10) {
    await setTimeout(10);
    left = pathsIn(top);
  }
  for (const found of ours) assert.deepEqual(found, { came, left }, inspect(words).slice(0, 200));
}

const PATHS = [
  ...["missing", "", "\0", "a\0", "e/f", "n".repeat(300), "n/".repeat(3000)],
  ...["", "\0", "a\0b", "\xff"].map((text) => Buffer.from(text, "latin1")),
  ...["file:///dev/null/x", "file:///a%2Fb", "https://example.org/a"].map((url) => new URL(url)),
  ...[undefined, null, 7, 7n, true, Symbol("path"), {}, [], new ArrayBuffer(3)],
  ...[new Uint16Array([1]), new String("missing"), () => {}],
  { toString: () => "missing" },
];

const OPTIONS = [
  ...[undefined, null, 7, "utf8", [], Symbol("options"), new Map()],
  ...[{}, { recursive: 1 }, { recursive: null }, { recursive: undefined }],
  ...[
    ...[{}, { force: true }, { force: undefined }, { force: null }, { force: "yes" }],
    ...[undefined, -1, -0, 1.5, NaN, 2 ** 31, 2 ** 33, "1"].map((maxRetries) => ({ maxRetries })),
    ...[undefined, null, -1, 1.5, 2 ** 33, 1n].map((retryDelay) => ({ retryDelay })),
  ].map((options) => ({ recursive: true, ...options })),
  Object.create({ recursive: true }),
  {
    recursive: true,
    get maxRetries() {
      throw new Error("thrown");
    },
  },
  new Proxy({}, { ownKeys: () => assert.fail("proxy") }),
];

for (const [name, rm] of Object.entries(FORMS)) {
  test(`rm, ${name}: has Node's errors for arguments`, async () => {
    process.chdir(plant(TREE));
    after(() => process.chdir("/"));
    for (const path of PATHS) {
      for (const options of OPTIONS) {
        const theirs = await outcome(rm(options?.force === true ? ASYNC : fs, path, options));
        const ours = await outcome(rm(curt, path, options));
        assert.deepEqual(ours, theirs, inspect([path, options]).slice(0, 200));
      }
    }
    assert.deepEqual(fs.readdirSync("."), ["a", "e"]);
  });
}

const write = (name) => plant({ [name]: "x" }, process.cwd());
const link = (target) => fs.symlinkSync(target, "l");
const lock = (name, mode) => () => {
  write(`${name}/f`);
  write("a/e");
  fs.chmodSync(name, mode);
};

const CASES = [
  [() => write("f"), "f"],
  [() => write("f"), "f/"],
  [() => write("f"), "f/", { force: true }],
  [() => write("f"), "f/g", { force: true }],
  [() => {}, "missing/"],
  [() => {}, "missing", { force: true }],
  [() => {}, Buffer.from("a\xffb", "latin1")],
  [() => write("d/f"), Buffer.from("d")],
  [() => {}, new Uint8Array([120])],
  [() => {}, "a\ud800b"],
  [() => {}, "n".repeat(300), { force: true }],
  [() => {}, "n/".repeat(3000)],
  [() => link("d"), "l"],
  [() => link("d"), "l/"],
  [() => link("l"), "l"],
  [() => link("l"), "l/"],
  [() => link("l"), "l/x"],
  [() => (write("d/f"), link("d")), "l"],
  [() => write("d/f"), "d/"],
  [() => write("d/f"), "d///"],
  [() => write("d/f"), "."],
  [() => write("d/f"), "d/."],
  [() => write("d/f"), "d/./", { force: true }],
  [() => write("d/f"), "d", { recursive: false }],
  [() => fs.mkdirSync("d"), "d"],
  [() => fs.mkdirSync("d", 0), "d"],
  [() => fs.mkdirSync("a/d", { recursive: true, mode: 0o333 }), "a"],
  [lock("d", 0), "d"],
  [lock("d", 0), "d/"],
  [lock("a/d", 0), "a", { force: true }],
  [lock("a/d", 0o555), "a"],
  [lock("a/d", 0o444), "a"],
  [lock("a/d", 0o666), "a"],
  [lock("a/d", 0o333), "a"],
  [lock("a/d", 0o333), "a/d"],
  [lock("a", 0o555), "a/f"],
  [lock("a", 0o333), "a/f"],
  [lock("a", 0), "a/f"],
  [() => (write("p/d/f"), fs.chmodSync("p", 0o555)), "p/d"],
  [() => (write("p/d/f"), fs.chmodSync("p", 0o333)), "p/d"],
];

test("rm: has the results and errors of Node", async () => {
  for (const [fill, operand, options] of CASES) {
    await compare(fill, [operand, { recursive: true, ...options }]);
  }
});

function random(seed) {
  let state = seed * 2654435761 + 1;
  const below = (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % limit;
  };
  const NAMES = ["a", "b c", "ü", "new\nline", "\xff\xc3(", "\u0001", "-r", "x".repeat(255)];
  const directories = [Buffer.from("top")];
  fs.mkdirSync("top");
  for (let made = below(40); made > 0; made -= 1) {
    const parent = directories[below(directories.length)];
    const name = Buffer.from(NAMES[below(NAMES.length)], "latin1");
    const at = Buffer.concat([parent, Buffer.from("/"), name]);
    if (fs.lstatSync(at, { throwIfNoEntry: false })) continue;
    const kind = below(4);
    if (kind === 0) fs.writeFileSync(at, "x");
    else if (kind === 1) fs.symlinkSync(["..", "loop", "/", "."][below(4)], at);
    else directories.push(at), fs.mkdirSync(at);
  }
  if (below(2) === 0) return;
  const locked = Buffer.concat([directories[below(directories.length)], Buffer.from("/locked")]);
  fs.mkdirSync(locked);
  fs.writeFileSync(Buffer.concat([locked, Buffer.from("/\xfef", "latin1")]), "x");
  fs.chmodSync(locked, [0, 0o111, 0o333, 0o444, 0o555][below(5)]);
}

test("rm: does with random trees what Node does", async () => {
  for (let seed = 0; seed < 40; seed += 1) {
    await compare(() => random(seed), ["top", { recursive: true }]);
  }
});

test("rm: leaves a mount point as it is, as Node does", (t) => {
  const mayMount = isRoot && spawnSync("unshare", ["-m", "true"]).status === 0;
  if (!mayMount) return t.skip("needs a user who may mount");
  const code = `
    const [main, top] = process.argv.slice(1);
    const fs = require("fs");
    fs.writeFileSync(top + "/a/mount/f", "");
    const rm = (operand) => require(main).promises.rm(operand, { recursive: true });
    rm(top + "/a/mount").catch(({ message }) => console.log(message))
      .then(() => rm(top + "/a").catch(({ message }) => console.log(message)))
      .then(() => console.log(fs.readdirSync(top + "/a/mount").join()));
  `;
  const [theirs, ours] = ["fs", require.resolve("curt-fs")].map((main) => {
    const top = plant({ "a/mount/below": "" });
    const mounted = 'mount -t tmpfs none "$1/a/mount" && shift && exec "$@"';
    const words = [process.execPath, "-e", code, main, top];
    const ran = spawnSync("unshare", ["-m", "sh", "-c", mounted, "sh", top, ...words]);
    assert.equal(ran.status, 0, ran.error ?? ran.stderr.toString());
    return ran.stdout.toString().replaceAll(top, "");
  });
  assert.match(theirs, /^EBUSY.*\nEBUSY.*\nf\n$/);
  assert.equal(ours, theirs);
});

test("rm: tries again, and waits longer each time", async (t) => {
  if (!isRoot) return t.skip("needs root, which makes a directory that others cannot remove");
  const top = plant({ keep: "" });
  fs.chmodSync(top, 0o1777);
  fs.mkdirSync(path.join(top, "d"));
  const denied = { code: "EPERM", syscall: "rmdir", path: path.join(top, "d") };
  const options = { recursive: true, maxRetries: 2, retryDelay: 40 };
  for (const rm of Object.values(FORMS)) {
    const start = performance.now();
    const words = [path.join(top, "d"), options];
    await unprivileged(() => assert.rejects(rm(curt, ...words), denied));
    assert.ok(performance.now() - start >= 119);
  }
  const long = { ...options, retryDelay: 100_000, signal: AbortSignal.timeout(20) };
  const aborted = () => curt.promises.rm(path.join(top, "d"), long);
  const begun = performance.now();
  await unprivileged(() => assert.rejects(aborted, { name: "AbortError" }));
  assert.ok(performance.now() - begun < 50_000);
  await unprivileged(async () => {
    const removed = curt.promises.rm(path.join(top, "d"), { ...options, retryDelay: 100 });
    await setTimeout(50);
    process.seteuid(0);
    await removed;
  });
  assert.deepEqual(fs.readdirSync(top), ["keep"]);
});
