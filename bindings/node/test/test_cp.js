"use strict";

const assert = require("node:assert/strict");
const { execFileSync } = require("child_process");
const fs = require("fs");
const { after, test } = require("node:test");
const { inspect, isDeepStrictEqual } = require("util");
const curt = require("curt-fs");
const { folder, plant, unprivileged } = require("./helper.js");

const FORMS = {
  callback: (...words) =>
    new Promise((resolve, reject) => {
      curt.cp(...words, (error) => (error ? reject(error) : resolve()));
    }),
  promise: (...words) => curt.promises.cp(...words),
  sync: async (...words) => curt.cpSync(...words),
};

/** Since Node 22, `cpSync` has rules of its own, and can even end the process. */
const HAS_OWN_SYNC = parseInt(process.versions.node, 10) >= 22;
const MTIME = 1_000_000_000;

/** Describes a tree, with the folder it is in as `TOP`. */
function stateOf(top, at, withTimes) {
  const stats = fs.lstatSync(at, { throwIfNoEntry: false });
  if (!stats) return null;
  const mode = (stats.mode & 0o7777).toString(8);
  if (stats.isSymbolicLink()) return fs.readlinkSync(at).replace(top, "TOP");
  if (!stats.isDirectory()) {
    const time = withTimes ? Math.floor(stats.mtimeMs) : 0;
    return [mode, time, stats.isFile() ? fs.readFileSync(at, "utf8") : "special"];
  }
  fs.chmodSync(at, 0o700);
  const below = fs.readdirSync(at).sort();
  return [mode, below.map((name) => [name, stateOf(top, `${at}/${name}`, withTimes)])];
}

async function copied(cp, fill, words) {
  const top = folder();
  fs.chmodSync(top, 0o777);
  process.chdir(top);
  after(() => process.chdir("/"));
  await unprivileged(fill);
  const error = await unprivileged(() => cp(...words)).then(() => null, (error) => error);
  const { name, code, syscall, path, dest, errno, message } = error ?? {};
  const rest = /^ERR/.test(code) ? { path } : { dest, errno, message, path };
  const shown = { name, code, syscall, ...(syscall === "copyfile" ? {} : rest) };
  const came = error && JSON.parse(JSON.stringify(shown).replaceAll(top, "TOP"));
  const withTimes = words[2].preserveTimestamps === true;
  const state = error ? null : stateOf(top, top, withTimes);
  return { came, state };
}

/**
 * Compares all forms with Node's promise form, or `cpSync` with Node's where the two differ. After
 * a failure the trees are not compared, because each stops at another entry.
 */
async function compare(fill, words, view = (came) => came) {
  const theirs = await copied(fs.promises.cp, fill, words);
  for (const [name, cp] of Object.entries(FORMS)) {
    const ours = await copied(cp, fill, words);
    const shown = `${name} ${inspect(words)}`;
    if (name === "sync" && !isDeepStrictEqual(view(ours.came), view(theirs.came))) {
      if (HAS_OWN_SYNC) continue;
      const { came } = await copied(async (...words) => fs.cpSync(...words), fill, words);
      assert.deepEqual(view(ours.came), view(came), shown);
      continue;
    }
    assert.deepEqual(view(ours.came), view(theirs.came), shown);
    assert.deepEqual(ours.state, theirs.state, shown);
  }
  return theirs;
}

const write = (files) => plant(files, process.cwd());
const lock = (name, mode) => () => (write({ "src/a/f": "f" }), fs.chmodSync(name, mode));
const over = (src, dest) => () => (src("src/a"), dest("dest/a"));
const file = (name) => write({ [name]: name });
const directory = (name) => write({ [`${name}/f`]: name });
const link = (target) => (name) => (write({ [`${name}/../x`]: "x" }), fs.symlinkSync(target, name));
const fifo = (name) => (write({ [`${name}/../x`]: "x" }), execFileSync("mkfifo", [name]));

const ONCE = { force: false, errorOnExist: true };
const FOLLOWED = { dereference: true };
const CASES = [
  [() => {}, "missing", "dest"],
  [() => directory("src"), "src", "src"],
  [() => directory("src"), "src", "src/new"],
  [() => directory("src"), "src", "src/new/new"],
  [() => directory("src"), "src", "dest/new/new"],
  [() => directory("src"), "./src/", "dest/"],
  [() => file("src"), "src", "dest/new/new"],
  [() => (file("src"), directory("dest")), "src", "dest"],
  [() => (directory("src"), file("dest")), "src", "dest"],
  [() => (directory("src"), directory("dest")), "src", "dest", ONCE],
  [() => link("x")("src"), "src", "dest"],
  [() => (file("src"), fs.linkSync("src", "dest")), "src", "dest"],
  [() => (link("dest")("src"), directory("dest")), "src", "dest", FOLLOWED],
  [() => (directory("src"), directory("d"), link("d")("dest")), "src", "dest", FOLLOWED],
  [() => fifo("src"), "src", "dest"],
  [() => fifo("src/a"), "src", "dest"],
  [over(file, directory)],
  [over(directory, file)],
  [over(file, fifo), "src", "dest", { force: false }],
  [over(link("x"), file)],
  [over(link("x"), link("./x"))],
  [over(link("x"), link("./x")), "src", "dest", { force: false }],
  [over(link("x"), link("../src/x"))],
  [() => (directory("src/d/d"), over(link("d/d"), link("../src/d"))())],
  [lock("src/a", 0)],
  [lock("src/a", 0o333)],
  [lock("src/a/f", 0)],
  [() => (directory("src"), fs.mkdirSync("dest", 0o555))],
];

test("cp: has the results and errors of Node", async () => {
  for (const [fill, src = "src", dest = "dest", options = {}] of CASES) {
    await compare(fill, [src, dest, { recursive: true, ...options }]);
  }
});

test("cp: has Node's errors for arguments", async () => {
  process.chdir(folder());
  after(() => process.chdir("/"));
  const options = [
    ...[undefined, null, 7, [], {}, { recursive: true, force: 1 }, { mode: 8 }, { filter: 1 }],
    { recursive: true, dereference: true, verbatimSymlinks: true },
  ];
  const outcome = (promise) => promise.then(String, String);
  for (const words of [["", "b"], ["a\0", "b"], ["a", 7], [Buffer.from("a"), "b"], ["a", "b"]]) {
    for (const choice of options) {
      const theirs = await outcome(fs.promises.cp(...words, choice));
      const ours = await outcome(curt.promises.cp(...words, choice));
      assert.equal(ours, theirs, inspect([words, choice]));
      if (words[0] !== "a" || choice !== null) {
        assert.throws(() => curt.cpSync(...words, choice), inspect([words, choice]));
      }
    }
  }
});

test("cp: a filter goes to Node's own function, which calls it in the same order", async () => {
  process.chdir(plant({ "src/a/f": "f", "src/b": "b" }));
  after(() => process.chdir("/"));
  const calls = [];
  const filter = (...words) => calls.push(words) && !words[0].endsWith("b");
  curt.cpSync("src", "dest", { recursive: true, filter });
  await curt.promises.cp("src", "dest", { recursive: true, filter });
  assert.deepEqual(calls.slice(4), calls.slice(0, 4));
  assert.deepEqual(fs.readdirSync("dest"), ["a"]);
});

function random(seed) {
  let state = seed * 2654435761 + 1;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % limit;
  };
}

const NAMES = ["a", "b c", "ü\n", "x".repeat(255), "-r", "d"];

function grow(below, top, count, kinds, targets) {
  const directories = [top];
  fs.mkdirSync(top, { recursive: true });
  for (let made = 0; made < count; made += 1) {
    const at = `${directories[below(directories.length)]}/${NAMES[below(NAMES.length)]}`;
    if (fs.lstatSync(at, { throwIfNoEntry: false })) continue;
    const kind = below(kinds);
    if (kind < 4) {
      fs.writeFileSync(at, `${top}${made}`.repeat(below(3) * 1000));
      fs.utimesSync(at, MTIME, MTIME + made);
      fs.chmodSync(at, [0o644, 0o600, 0o755, 0o444, 0o4750][below(5)]);
    } else if (kind < 8) {
      fs.mkdirSync(at);
      fs.chmodSync(at, [0o755, 0o700, 0o1777][below(3)]);
      directories.push(at);
    } else {
      fs.symlinkSync(targets[below(targets.length)], at);
    }
  }
  if (below(2)) fs.chmodSync(directories.at(-1), 0o555);
}

function plantPair(seed, dereference) {
  const below = random(seed);
  const out = `${process.cwd()}/out`;
  write({ "out/d/f": "out", "out/f": "out" });
  for (const name of ["out/d/f", "out/f"]) fs.utimesSync(name, MTIME, MTIME);
  const outside = [`${out}/f`, `${out}/d`];
  const inside = ["a", "../d", "missing", ".", "../..", "/"];
  grow(below, "src", below(20), 9, dereference ? outside : [...inside, ...outside]);
  if (below(3)) grow(below, "dest", below(8), dereference ? 8 : 9, inside);
}

test("cp: does with random trees what Node does", async () => {
  const found = { done: 0, failed: 0 };
  for (let seed = 0; seed < 60; seed += 1) {
    const below = random(seed + 1e6);
    const [dereference, is] = [below(4) === 0, () => below(2) === 1];
    const options = { recursive: true, dereference, preserveTimestamps: is() };
    Object.assign(options, { verbatimSymlinks: !dereference && is() });
    const errorOnExist = is() && !HAS_OWN_SYNC;
    Object.assign(options, { force: below(3) > 0, errorOnExist, mode: 2 * below(2) });
    const dest = ["dest", "dest", "new/dest"][below(3)];
    const { came } = await compare(
      () => plantPair(seed, dereference),
      ["src", dest, options],
      (came) => came === null,
    );
    found[came === null ? "done" : "failed"] += 1;
  }
  assert.ok(found.done > 15 && found.failed > 5, inspect(found));
});
