"use strict";

const assert = require("node:assert/strict");
const { AsyncLocalStorage } = require("async_hooks");
const { spawnSync } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { getEventListeners, once } = require("events");
const { test } = require("node:test");
const { setTimeout } = require("timers/promises");
const vm = require("vm");
const { Worker } = require("worker_threads");
const curt = require("curt-fs");
const { folder, plant } = require("./helper.js");

const RECURSIVE = { recursive: true };
const skip = os.cpus().length < 2 && "there is one processor";

function plantMany() {
  const top = folder();
  for (let at = 0; at < 100; at += 1) {
    fs.mkdirSync(path.join(top, String(at)));
    for (let file = 0; file < 100; file += 1) {
      fs.writeFileSync(path.join(top, String(at), String(file)), "");
    }
  }
  return top;
}

const left = (top) => (fs.existsSync(top) ? fs.readdirSync(top).length : 0);

function awaitBegin(top) {
  while (left(top) === 100);
}

function inProcess(code, { words = [], env = {}, status = 0 } = {}) {
  const main = JSON.stringify(require.resolve("curt-fs"));
  const begin = `const curt = require(${main}); const fs = require("fs");`;
  const ran = spawnSync(process.execPath, ["--expose-gc", "-e", begin + code, ...words], {
    env: { ...process.env, NODE_OPTIONS: "", ...env },
    encoding: "utf8",
    timeout: 300_000,
  });
  assert.equal(ran.status, status, ran.stderr + ran.stdout);
  return ran.stdout;
}

function inThread(code, workerData) {
  const begin = `
    const curt = require(${JSON.stringify(require.resolve("curt-fs"))});
    const { parentPort, workerData } = require("worker_threads");
  `;
  return new Worker(begin + code, { eval: true, workerData });
}

test("work: the end of the process ends running and waiting operations", () => {
  const tops = [plantMany(), plantMany(), plant({ a: "a" })];
  const code = `
    for (const top of process.argv.slice(1)) {
      curt.rm(top, { recursive: true }, () => console.log("ended"));
    }
    setTimeout(() => {
      while (fs.readdirSync(process.argv[1]).length === 100);
      process.exit(7);
    }, 1);
  `;
  assert.equal(inProcess(code, { words: tops, status: 7 }), "");
  assert.ok(tops.every((top) => left(top) > 0));
});

test("work: an exception in a callback is uncaught", () => {
  const code = `
    process.on("uncaughtException", (error) => console.log("uncaught", error.message));
    process.on("unhandledRejection", () => console.log("unhandled"));
    curt.rm("/dev/null/x", { recursive: true, force: true }, (error) => {
      throw new Error(error.code);
    });
  `;
  assert.equal(inProcess(code), "uncaught ENOTDIR\n");
});

test("work: a callback has the context of its caller, and is called later", async () => {
  const storage = new AsyncLocalStorage();
  const top = plant({ "a/b": "b" });
  let isLater = false;
  const found = await storage.run("context", () => {
    const called = new Promise((resolve) => {
      curt.rm(path.join(top, "a"), RECURSIVE, () => resolve([isLater, storage.getStore()]));
    });
    isLater = true;
    return called;
  });
  assert.deepEqual(found, [true, "context"]);
  await storage.run("context", async () => {
    await curt.promises.rm(top, RECURSIVE);
    assert.equal(storage.getStore(), "context");
  });
});

test("work: a signal ends it early, and afterwards changes nothing", async () => {
  const top = plantMany();
  const controller = new AbortController();
  const { signal } = controller;
  const removal = curt.promises.rm(top, { ...RECURSIVE, signal });
  await setTimeout(1);
  awaitBegin(top);
  controller.abort();
  const aborted = { name: "AbortError", code: "ABORT_ERR", cause: signal.reason };
  await assert.rejects(removal, aborted);
  assert.ok(left(top) > 0);
  assert.deepEqual(getEventListeners(signal, "abort"), []);
  const other = new AbortController();
  await curt.promises.rm(top, { ...RECURSIVE, signal: other.signal });
  other.abort();
  await setTimeout(1);
  assert.equal(left(top), 0);
});

test("work: an operation that others ended early is no success", () => {
  const code = `
    (async () => {
      const { signal } = new AbortController();
      const ends = [() => signal.dispatchEvent(new Event("abort")), () => process.emit("exit")];
      for (const [at, end] of ends.entries()) {
        const top = process.argv[1 + at];
        const removal = curt.promises.rm(top, { recursive: true, signal });
        await new Promise((resolve) => setTimeout(resolve, 1));
        while (fs.readdirSync(top).length === 100);
        end();
        console.log(await removal.catch(({ code }) => code), fs.existsSync(top));
      }
    })();
  `;
  const lines = "ABORT_ERR true\nABORT_ERR true\n";
  assert.equal(inProcess(code, { words: [plantMany(), plantMany()] }), lines);
});

test("work: signals that throw keep no slot of the pool", async () => {
  for (let at = 0; at < 3; at += 1) {
    const { signal } = new AbortController();
    signal.addEventListener = () => {
      throw new Error("listener");
    };
    const options = { ...RECURSIVE, force: true, signal };
    for (let call = 0; call < 2; call += 1) {
      await assert.rejects(curt.promises.rm(folder(), options), { message: "listener" });
    }
  }
  await curt.promises.rm(folder(), RECURSIVE);
});

test("work: signals that keep their listeners keep no slot, and fail no other call", async () => {
  const missing = { aborted: false, addEventListener() {}, removeEventListener: undefined };
  for (let round = 0; round < 3; round += 1) {
    const options = [missing, undefined, missing, undefined, missing, undefined];
    const removals = options.map((signal) => curt.promises.rm(folder(), { ...RECURSIVE, signal }));
    await Promise.all(removals);
  }
});

test("work: properties of Object.prototype are no options", async () => {
  const top = plant({ "a/b": "b", "c/d": "d" });
  const names = ["signal", "threads", "inRoot", "strict", "force", "onError", "cwd", "pathExt"];
  try {
    for (const name of names) Object.prototype[name] = "x";
    await curt.promises.rm(path.join(top, "a"), RECURSIVE);
    curt.rmSync(path.join(top, "c"), RECURSIVE);
    assert.equal((await curt.usage(top)).entries, 1);
    for await (const { files } of curt.walk(top)) assert.deepEqual(files, []);
    assert.equal((await curt.statMany([top]))[0].isDirectory(), true);
    assert.equal(typeof curt.whichSync("node"), "string");
    const root = await curt.Root.open(top);
    await assert.rejects(root.rm("a", RECURSIVE), { code: "ENOENT" });
    root.close();
  } finally {
    for (const name of names) delete Object.prototype[name];
  }
});

test("work: signals of another realm count", async () => {
  const source = "({ aborted: true, reason: 'r' })";
  const signal = vm.runInNewContext(source);
  const aborted = { code: "ABORT_ERR", cause: "r" };
  await assert.rejects(curt.promises.rm(folder(), { ...RECURSIVE, signal }), aborted);
});

test("work: a replaced nextTick changes nothing", () => {
  // In a child process, because the test reporter uses `nextTick`.
  const code = `
    process.nextTick = () => {};
    curt.rm(process.argv[1], { recursive: true }, (...results) => {
      fs.writeSync(1, JSON.stringify(results));
    });
  `;
  assert.equal(inProcess(code, { words: [folder()] }), "[null]");
});

test("work: the package can be loaded again, with the old one still in use", () => {
  const code = `
    process.on("warning", (warning) => console.log(String(warning)));
    const main = require.resolve(${JSON.stringify(require.resolve("curt-fs"))});
    for (let at = 0; at < 12; at += 1) {
      for (const name of Object.keys(require.cache)) delete require.cache[name];
      require(main);
    }
    (async () => {
      const top = process.argv[1];
      for (const { promises, Root, walk, usage } of [curt, require(main)]) {
        fs.mkdirSync(top + "/a/b", { recursive: true });
        const root = await Root.open(top);
        console.log(await root.readdir("."), (await usage(top)).entries);
        root.close();
        for await (const { directories } of walk(top)) console.log(directories);
        await promises.rm(top + "/a", { recursive: true });
      }
    })();
  `;
  const lines = "[ 'a' ] 3\n[ 'a' ]\n[ 'b' ]\n[]\n";
  assert.equal(inProcess(code, { words: [folder()] }), lines + lines);
});

test("work: one signal ends running and waiting operations, and frees their slots", async () => {
  const tops = [plantMany(), plantMany(), plant({ a: "a" })];
  const controller = new AbortController();
  const { signal } = controller;
  const removals = tops.map((top) => curt.promises.rm(top, { ...RECURSIVE, signal }));
  const other = folder();
  const last = curt.promises.rm(plant({ "a/b": "b" }, other), RECURSIVE);
  await setTimeout(1);
  awaitBegin(tops[0]);
  controller.abort();
  const settled = await Promise.allSettled(removals);
  assert.ok(settled.every(({ reason }) => reason.name === "AbortError"));
  assert.ok(tops.every((top) => left(top) > 0));
  await last;
  assert.equal(left(other), 0);
});

test("work: 10,000 calls at once share one signal, without a warning or a listener left", () => {
  const code = `
    process.on("warning", (warning) => console.log(String(warning)));
    const { signal } = new AbortController();
    const call = () => curt.promises.rm("/dev/null/x", { recursive: true, signal });
    Promise.allSettled(Array.from({ length: 10_000 }, call)).then((settled) => {
      console.log(settled.filter(({ reason }) => reason.code === "ENOTDIR").length);
      console.log(require("events").getEventListeners(signal, "abort").length);
      const controller = new AbortController();
      const late = Array.from({ length: 10_000 }, () =>
        curt.promises.rm("/dev/null/x", { recursive: true, signal: controller.signal }),
      );
      controller.abort();
      return Promise.allSettled(late);
    }).then((settled) => {
      console.log(settled.filter(({ reason }) => reason.code === "ABORT_ERR").length);
    });
  `;
  assert.equal(inProcess(code), "10000\n0\n10000\n");
});

test("work: keeps no memory", (t) => {
  if (process.env.LD_PRELOAD) return t.skip("AddressSanitizer keeps what was freed");
  const code = `
    const { signal } = new AbortController();
    const top = process.argv[1];
    async function calls(count) {
      for (let at = 0; at < count; at += 1) {
        await curt.promises.rm(top + "/a", { recursive: true, force: true, signal });
        await curt.promises.rm(top + "/a", { recursive: true }).catch(() => {});
        try { curt.rmSync(top + "/a", { recursive: true }) } catch {}
        if (at % 10 === 0) fs.mkdirSync(top + "/a/b", { recursive: true });
      }
      await new Promise(setImmediate);
      gc();
      gc();
      return process.memoryUsage();
    }
    calls(1000).then(async (before) => {
      const after = await calls(3000);
      console.log(after.heapUsed - before.heapUsed, after.rss - before.rss);
    });
  `;
  const [heap, rss] = inProcess(code, { words: [folder()] }).split(" ").map(Number);
  assert.ok(heap < 1 << 20, `heap: ${heap}`);
  assert.ok(rss < 24 << 20, `resident: ${rss}`);
});

test("work: long removals leave threads in the pool", async () => {
  const tops = [plantMany(), plantMany(), plant({ a: "a" })];
  const removals = tops.map((top) => curt.promises.rm(top, RECURSIVE));
  await setTimeout(1);
  await fs.promises.readFile(__filename);
  assert.ok(left(tops[2]) > 0);
  await Promise.all(removals);
});

test("work: the size of the pool is read as Node reads it", () => {
  const code = `
    const tops = process.argv.slice(1);
    for (const top of tops) curt.promises.rm(top, { recursive: true });
    setTimeout(async () => {
      await fs.promises.readFile("/dev/null");
      console.log(fs.existsSync(tops[6]));
    }, 1);
  `;
  const tops = [1, 2, 3, 4, 5, 6].map(plantMany);
  const env = { UV_THREADPOOL_SIZE: "5e3" };
  assert.equal(inProcess(code, { words: [...tops, folder()], env }), "true\n");
});

for (const size of ["1", "0", "x", "2", "16"]) {
  test(`work: works with UV_THREADPOOL_SIZE=${size}`, () => {
    const code = `
      const tops = process.argv.slice(1);
      Promise.all([
        ...tops.map((top) => curt.promises.rm(top, { recursive: true })),
        fs.promises.readFile(__filename).catch(() => {}),
      ]).then(() => console.log("ended"));
    `;
    const tops = Array.from({ length: 9 }, () => plant({ "a/b": "b" }));
    const env = { UV_THREADPOOL_SIZE: size };
    assert.equal(inProcess(code, { words: tops, env }), "ended\n");
    assert.equal(tops.some((top) => fs.existsSync(top)), false);
  });
}

test("work: works in several worker threads at once", async () => {
  const tops = Array.from({ length: 6 }, () => {
    const top = folder();
    for (let at = 0; at < 20; at += 1) plant({ [`${at}/a/b`]: "b" }, top);
    return top;
  });
  const code = `
    for (let at = 0; at < 20; at += 1) {
      curt.promises.rm(workerData + "/" + at, { recursive: true });
    }
  `;
  await Promise.all(tops.map((top) => once(inThread(code, top), "exit")));
  assert.ok(tops.every((top) => fs.readdirSync(top).length === 0));
});

test("work: threads start by default, and end with their operation", { skip }, () => {
  const code = `
    const tasks = () => fs.readdirSync("/proc/self/task").length;
    const plant = (top) => {
      for (let at = 0; at < 200; at += 1) {
        fs.mkdirSync(top + "/" + at, { recursive: true });
        for (let file = 0; file < 200; file += 1) fs.writeFileSync(top + "/" + at + "/" + file, "");
      }
    };
    (async () => {
      await Promise.all(Array.from({ length: 8 }, () => fs.promises.stat(".")));
      const pool = tasks();
      const more = {};
      for (const threads of [undefined, 1]) {
        plant(process.argv[1]);
        for (const [name, run] of [
          ["readdir", curt.promises.readdir], ["usage", curt.usage], ["rm", curt.promises.rm],
        ]) {
          let most = pool;
          let isOver = false;
          const recursive = name === "usage" ? {} : { recursive: true };
          const done = run(process.argv[1], { ...recursive, threads });
          done.finally(() => { isOver = true; });
          while (!isOver) {
            most = Math.max(most, tasks());
            await new Promise(setImmediate);
          }
          await done;
          more[name + (threads ?? "")] = most - pool;
        }
      }
      console.log(JSON.stringify(more));
    })();
  `;
  const started = { readdir: 0, usage: 0, rm: 0 };
  // The engine measures at run time whether threads help, so one attempt may start none.
  for (let attempt = 0; attempt < 10 && Object.values(started).includes(0); attempt += 1) {
    const { readdir1, usage1, rm1, ...more } = JSON.parse(inProcess(code, { words: [folder()] }));
    assert.deepEqual([readdir1, usage1, rm1], [0, 0, 0]);
    for (const name in more) started[name] = Math.max(started[name], more[name]);
  }
  assert.ok(!Object.values(started).includes(0), JSON.stringify(started));
});

test("work: worker threads may be terminated during calls", async () => {
  const code = `
    curt.promises.rm(workerData, { recursive: true });
    curt.promises.rm(workerData + "/1", { recursive: true });
    curt.rm(workerData + "/2", { recursive: true, force: true }, () => {});
    parentPort.postMessage("begun");
  `;
  for (let round = 0; round < 2; round += 1) {
    const top = plantMany();
    const worker = inThread(code, top);
    await once(worker, "message");
    if (round > 0) awaitBegin(top);
    await worker.terminate();
    await curt.promises.rm(top, { recursive: true, force: true });
    assert.equal(fs.existsSync(top), false);
  }
});

test("work: a worker thread that exits ends its calls", async () => {
  const top = plantMany();
  const code = `
    curt.promises.rm(workerData, { recursive: true });
    setTimeout(() => {
      while (require("fs").readdirSync(workerData).length === 100);
      process.exit();
    }, 1);
  `;
  const worker = inThread(code, top);
  await once(worker, "exit");
  assert.ok(left(top) > 0);
});

test("work: options that are inherited, or no options to Node, are none", () => {
  const code = `
    const top = process.argv[1];
    const attempts = {
      array: () => curt.rmSync(top, Object.assign([], { recursive: true })),
      callable: () => curt.rmSync(top, Object.assign(() => {}, { recursive: true })),
      usage: () => curt.usage(top, []),
      root: async () => {
        const root = await curt.Root.open(top);
        Object.prototype.recursive = true;
        await root.rm("a", {}).finally(() => delete Object.prototype.recursive);
      },
      message: () => curt.which("x".repeat(1000) + "\\0"),
    };
    (async () => {
      for (const attempt of Object.values(attempts)) {
        const show = ({ code, message }) => [code, message.length < 300].join(" ");
        console.log(await (async () => attempt())().catch(show));
      }
    })();
  `;
  const top = plant({ "a/b": "b" });
  const lines = ["ERR_INVALID_ARG_TYPE true", "ERR_INVALID_ARG_TYPE true"];
  lines.push("ERR_INVALID_ARG_TYPE true", "ERR_FS_EISDIR true");
  lines.push("ERR_INVALID_ARG_VALUE true", "");
  assert.equal(inProcess(code, { words: [top] }), lines.join("\n"));
  assert.equal(fs.readFileSync(path.join(top, "a/b"), "utf8"), "b");
});
