"use strict";

const assert = require("node:assert/strict");
const fs = require("fs");
const path = require("path");
const { test } = require("node:test");
const curt = require("curt-fs");
const { folder, plant } = require("./helper.js");

const TREE = { "a/b/c": "c", "a/d": "d", e: "e" };

/** What comes of a form of `rm`: undefined, or what its error says. */
const FORMS = {
  callback: (fs, ...words) =>
    new Promise((resolve, reject) => {
      fs.rm(...words, (error) => (error ? reject(error) : resolve()));
    }),
  promise: (fs, ...words) => fs.promises.rm(...words),
  sync: async (fs, ...words) => fs.rmSync(...words),
};

for (const [name, rm] of Object.entries(FORMS)) {
  test(`rm, ${name}: removes a tree, and nothing else`, async () => {
    const top = plant(TREE);
    await rm(curt, path.join(top, "a"), { recursive: true });
    assert.deepEqual(fs.readdirSync(top), ["e"]);
    await rm(curt, Buffer.from(path.join(top, "e")), { recursive: true, threads: 2 });
    assert.deepEqual(fs.readdirSync(top), []);
  });

  test(`rm, ${name}: has the errors of Node`, async () => {
    const top = plant(TREE);
    for (const words of [
      [path.join(top, "missing"), { recursive: true }],
      [path.join(top, "missing")],
      [path.join(top, "e", "f"), { recursive: true }],
      ["", { recursive: true }],
      ["a\0b", { recursive: true }],
      [7, { recursive: true }],
      [path.join(top, "e"), { recursive: "yes" }],
      [path.join(top, "e"), { recursive: true, maxRetries: -1 }],
      [path.join(top, "e"), 7],
    ]) {
      const [theirs, ours] = await Promise.all(
        [fs, curt].map((module) => rm(module, ...words).then(assert.fail, (error) => error)),
      );
      for (const key of ["name", "code", "errno", "syscall", "path", "message"]) {
        assert.equal(ours[key], theirs[key], `${key} of ${JSON.stringify(words)}`);
      }
    }
  });
}

test("rm: many at once end, and leave room in the pool", async () => {
  const top = folder();
  const trees = Array.from({ length: 50 }, (_, at) => path.join(top, String(at)));
  for (const tree of trees) plant(TREE, tree);
  const removals = trees.map((tree) => curt.promises.rm(tree, { recursive: true }));
  await fs.promises.stat(top);
  await Promise.all(removals);
  assert.deepEqual(fs.readdirSync(top), []);
});

test("rm: an aborted signal ends it before and while it waits", async () => {
  const top = plant(TREE);
  const signal = AbortSignal.abort("enough");
  const before = curt.promises.rm(top, { recursive: true, signal });
  await assert.rejects(before, { name: "AbortError", code: "ABORT_ERR", cause: "enough" });
  assert.equal(fs.existsSync(path.join(top, "e")), true);
  const controller = new AbortController();
  const removals = Array.from({ length: 9 }, () =>
    curt.promises.rm(top, { recursive: true, force: true, signal: controller.signal }),
  );
  controller.abort();
  const names = (await Promise.allSettled(removals)).map(({ reason }) => reason?.name);
  assert.deepEqual(names, Array(9).fill("AbortError"));
});
