// Compares curt's functions with Node's in Node for Windows under Wine. `cargo xtask dist-test npm`
// runs this.
"use strict";

const assert = require("node:assert/strict");
const { spawnSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const { test } = require("node:test");
const { pathToFileURL } = require("url");
const curt = require("curt-fs");
const { folder, plant } = require("./helper.js");

const TREE = { "a/b/c": "c", "a/d": "d", e: "e" };

function outcome(run) {
  try {
    return { value: run() };
  } catch (error) {
    const { name, code, errno, syscall, path, message } = error;
    return { error: { name, code, errno, syscall, path, message } };
  }
}

function timeless(stats) {
  return { ...stats, atime: undefined, atimeMs: undefined };
}

test("rm: takes all spellings of a path", async () => {
  const top = folder();
  for (const spell of [
    (tree) => tree,
    (tree) => tree.replaceAll("\\", "/"),
    (tree) => path.relative("", tree),
    (tree) => path.toNamespacedPath(tree),
    (tree) => Buffer.from(tree),
    (tree) => pathToFileURL(tree),
  ]) {
    const tree = plant(TREE, path.join(top, "tree \u{1f600}"));
    fs.chmodSync(path.join(tree, "e"), 0o444);
    await curt.promises.rm(spell(tree), { recursive: true });
    assert.deepEqual(fs.readdirSync(top), []);
  }
});

test("rm: has the errors of Node", () => {
  const top = plant(TREE);
  for (const name of ["missing", "missing\\below", "e\\below", "", "a\0b"]) {
    for (const folder of [top, path.toNamespacedPath(top)]) {
      const path = name && `${folder}\\${name}`;
      const [theirs, ours] = [fs, curt].map((module) =>
        outcome(() => module.rmSync(path, { recursive: true })),
      );
      assert.deepEqual(ours, theirs, path);
    }
  }
});

test("rm, readdir: take names literally", () => {
  for (const [planted, name] of [
    ["foo", "foo."],
    ["foo", "foo "],
    ["foo.", "foo."],
    ["foo", "*"],
    ["foo", "nul"],
  ]) {
    for (const files of [{ [planted]: "x" }, { [`${planted}\\a`]: "x" }]) {
      for (const act of [
        (module, path) => module.rmSync(path, { recursive: true }),
        (module, path) => module.rmSync(path, { recursive: true, force: true }),
        (module, path) => module.readdirSync(path, { recursive: true }),
      ]) {
        const top = path.toNamespacedPath(folder());
        const [theirs, ours] = [fs, curt].map((module) => {
          plant(files, top);
          const said = outcome(() => act(module, `${top.slice(4)}\\${name}`));
          return [said, fs.readdirSync(top)];
        });
        assert.deepEqual(ours, theirs, `${planted}, ${name}, ${act}`);
      }
    }
  }
});

test("rm: empties no directory that is in use", () => {
  for (const module of [fs, curt]) {
    const top = plant(TREE);
    process.chdir(top);
    assert.throws(() => module.rmSync(".", { recursive: true }), { code: "EBUSY", path: top });
    process.chdir("C:\\");
    assert.deepEqual(fs.readdirSync(top), ["a", "e"]);
  }
});

test("walk, paths, usage: see the tree", async () => {
  const top = plant({ ...TREE, "a/\u{1f600}": "x" });
  const seen = [];
  for await (const { path, directories, files } of curt.walk(top)) {
    seen.push([path.slice(top.length), directories.sort(), files.sort()]);
  }
  const expected = [
    ["", ["a"], ["e"]],
    ["\\a", ["b"], ["d", "\u{1f600}"]],
    ["\\a\\b", [], ["c"]],
  ];
  assert.deepEqual(seen, expected);
  const paths = curt.pathsSync(top, { exclude: "b/" }).map((path) => path.slice(top.length));
  assert.deepEqual(paths.sort(), ["\\a", "\\a\\d", "\\a\\\u{1f600}", "\\e"]);
  const { entries, size } = await curt.usage(top);
  assert.deepEqual([entries, size], [7, 4]);
});

test("statMany: has the answers of Node", async () => {
  const top = plant(TREE);
  const names = ["", "a", "a\\b\\c", "e", "missing", "e\\below"];
  const paths = names.map((name) => path.join(top, name));
  const expected = paths.map((path) => outcome(() => timeless(fs.lstatSync(path))));
  const answers = await curt.statMany(paths, { followSymlinks: false });
  const ours = answers.map((answer) =>
    outcome(() => {
      if (answer instanceof Error) throw answer;
      return timeless(answer);
    }),
  );
  assert.deepEqual(ours, expected);
});

test("expandPath: keeps the rules of Windows", () => {
  for (const words of [["a/../b"], ["..\\x", "C:\\a\\b"], ["D:x", "C:\\a"], ["\\\\s\\h\\..\\x"]]) {
    const expected = words.length === 1 ? path.resolve(words[0]) : path.resolve(words[1], words[0]);
    assert.equal(curt.expandPath(...words), expected);
  }
  assert.equal(curt.expandPath("~\\x"), path.join(require("os").homedir(), "x"));
});

test("which, spawn: find a batch file, and start it", async () => {
  const script = "@echo it got %*\r\n@exit /b 3\r\n";
  const top = plant({ "tool.cmd": script }, path.join(folder(), "a b"));
  const found = path.join(top, "tool.cmd").toLowerCase();
  assert.equal(curt.whichSync("tool", { path: top }).toLowerCase(), found);
  assert.equal((await curt.which("tool", { path: top })).toLowerCase(), found);
  assert.equal(await curt.which("missing", { path: top }), null);
  const env = { ...process.env, PATH: top };
  assert.equal(spawnSync("tool", ["x"], { env }).error.code, "ENOENT");
  const { status, stdout } = curt.spawnSync("tool", ["x", "y z"], { env, encoding: "utf8" });
  assert.deepEqual([status, stdout.trim()], [3, 'it got x "y z"']);
  const refused = curt.spawnSync("missing", { env });
  assert.equal(refused.error.code, "ENOENT");
});

test("spawn: a batch file passes words on as they are", () => {
  const top = plant({
    "tool.cmd": `@"${process.execPath}" "%~dp0words.js" %*\r\n`,
    "words.js": "console.log(JSON.stringify(process.argv.slice(2)));",
    "100%PATH%&.cmd": "@echo odd\r\n",
  });
  const options = { env: { ...process.env, PATH: top }, encoding: "utf8" };
  for (const word of [
    ...["", "a b", "a&b", "a|b", "<a>", "a^b", "(a)", "a,b;c=d", "a!b!", "\ta", "gr\u00fcn", "*"],
    ...['"', 'a"b', 'a"&echo b"', 'a\\"b', 'a\\\\"b\\', "C:\\", "a b\\\\", "a\\b"],
    ...["%PATH%", "100%", "%", "%%", "a%b%c", 'x"%PATH%"', "^%PATH^%", '%CD%"&echo x'],
  ]) {
    const words = ["x", word, "y z"];
    const { stdout } = curt.spawnSync("tool", words, options);
    assert.equal(stdout.trim(), JSON.stringify(words));
  }
  assert.equal(curt.spawnSync("100%PATH%&", options).stdout.trim(), "odd");
  assert.throws(() => curt.spawnSync("tool", ["a\nb"], options), { code: "ERR_INVALID_ARG_VALUE" });
});

test("Root: opens descriptors of Node, and stays beneath", async () => {
  const top = path.join(folder(), "top");
  plant({ ...TREE, "../secret": "secret" }, top);
  const root = await curt.Root.open(top);
  const writing = await root.open("a/new", "wx+");
  fs.writeSync(writing, "text");
  fs.closeSync(writing);
  const appending = await root.open("a\\new", "a");
  fs.writeSync(appending, "more");
  fs.closeSync(appending);
  let text = "";
  const reading = await root.open("a/new");
  for await (const part of fs.createReadStream("", { fd: reading })) text += part;
  assert.equal(text, "textmore");
  assert.deepEqual(timeless(await root.stat("a/new")), timeless(fs.statSync(`${top}\\a\\new`)));
  await assert.rejects(root.open("a"), { code: "EISDIR", path: "a" });
  await assert.rejects(root.readlink("e"), { code: "EINVAL", path: "e" });
  const names = ["..\\secret", "a/../../secret", "C:\\x", "C:x", "\\x", "/x", "\\\\s\\x", "nul"];
  for (const name of names) {
    await assert.rejects(root.open(name), { code: "EXDEV", path: name });
  }
  await root.mkdir("made/below", { recursive: true });
  await root.rename("a/new", "made/below/moved");
  await assert.rejects(root.rename("e", "../e"), { code: "EXDEV", path: "e", dest: "../e" });
  await root.rm("made", { recursive: true });
  assert.deepEqual((await root.readdir(".")).sort(), ["a", "e"]);
  const strict = await curt.Root.open(top, { strict: true });
  for (const name of ["e.", "e::$DATA", "LONGNA~1"]) {
    await assert.rejects(strict.open(name), { code: "EXDEV" });
  }
  root.close();
  strict.close();
});

test("readdir: lists what Node lists", () => {
  const top = plant({ ...TREE, "\u{1f600}": "x" });
  for (const options of [{}, { withFileTypes: true }]) {
    const [theirs, ours] = [fs, curt].map((module) =>
      module.readdirSync(top, { recursive: true, ...options }),
    );
    assert.deepEqual(ours, theirs);
  }
  for (const name of ["missing", "e", "e\\below"]) {
    const [theirs, ours] = [fs, curt].map((module) =>
      outcome(() => module.readdirSync(path.join(top, name), { recursive: true })),
    );
    assert.deepEqual(ours, theirs, name);
  }
});
