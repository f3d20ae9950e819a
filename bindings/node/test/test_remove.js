"use strict";

const assert = require("node:assert/strict");
const fs = require("fs");
const path = require("path");
const { test } = require("node:test");
const curt = require("curt-fs");
const { plant, unprivileged } = require("./helper.js");

const TREE = { "a/b.log": "", "a/c": "", "dir/keep/d": "", "dir/e": "", "full/f": "", "g.log": "" };

/** The tree, owned by nobody, with a directory that its owner may not write to. */
async function planted() {
  const top = plant({});
  fs.chmodSync(top, 0o777);
  const tree = path.join(top, "tree");
  await unprivileged(() => {
    plant(TREE, tree);
    fs.chmodSync(path.join(tree, "full"), 0o500);
  });
  return tree;
}

const FORMS = { remove: curt.remove, removeSync: async (...words) => curt.removeSync(...words) };

for (const [name, form] of Object.entries(FORMS)) {
  test(`${name}: all options, and a report of what remains`, async () => {
    const tree = await planted();
    const missing = `${tree}, missing`;
    const report = (path, options) => unprivileged(() => form(path, options));
    const options = { contents: true, exclude: ["*.log", "dir/keep/"], retries: 1, threads: 1 };
    const { errors, ...counts } = await report([tree, missing], options);
    assert.deepEqual(counts, { files: 2, directories: 0, skipped: 3, madeWritable: 0 });
    assert.deepEqual(
      errors.map(({ code, path }) => [code, path]),
      [["EACCES", path.join(tree, "full/f")], ["ENOENT", missing]],
    );
    assert.ok(errors.every((error) => error instanceof Error));
    const rest = { ...options, force: true, makeWritable: true };
    const repaired = { files: 1, directories: 1, skipped: 3, madeWritable: 1, errors: [] };
    assert.deepEqual(await report([tree, Buffer.from(missing)], rest), repaired);
    const kept = ["a", "a/b.log", "dir", "dir/keep", "dir/keep/d", "g.log"];
    const paths = curt.pathsSync(tree).sort();
    assert.deepEqual(paths, kept.map((name) => path.join(tree, name)));
    const all = { files: 3, directories: 4, skipped: 0, madeWritable: 0, errors: [] };
    assert.deepEqual(await report(tree), all);
  });

  test(`${name}: wrong arguments are refused`, async () => {
    const [type, value] = ["ERR_INVALID_ARG_TYPE", "ERR_INVALID_ARG_VALUE"];
    for (const [path, options, code, message] of [
      [["a", 7], {}, type, /"path"/],
      ["a", { contents: 1 }, type, /"options.contents"/],
      ["a", { exclude: ["[b"] }, value, /'options.exclude' has an invalid pattern '\[b': /],
      ["a", { retries: -1 }, "ERR_OUT_OF_RANGE", /"options.retries"/],
    ]) {
      await assert.rejects(form(path, options), { code, message }, JSON.stringify(options));
    }
  });
}

test("remove: reports progress", async () => {
  const shown = [];
  const onProgress = (removed) => shown.push(removed);
  await curt.remove(await planted(), { onProgress });
  assert.deepEqual(shown.pop(), { files: 6, directories: 5 });
  await assert.rejects(curt.remove("a", { onProgress: 7 }), { code: "ERR_INVALID_ARG_TYPE" });
  const thrown = new Error("from onProgress");
  const fail = () => {
    throw thrown;
  };
  await assert.rejects(curt.remove(await planted(), { onProgress: fail }), thrown);
});
