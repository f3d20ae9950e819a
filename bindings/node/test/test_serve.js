"use strict";

const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const fs = require("fs");
const http = require("http");
const path = require("path");
const { once } = require("node:events");
const { after, test } = require("node:test");
const { serve } = require("../examples/serve.js");
const { folder, plant } = require("./helper.js");

async function site() {
  const top = path.join(folder(), "www");
  plant({ "page.html": "page", "sub/page.html": "below", "../secret": "secret" }, top);
  const server = (await serve(top)).listen(0, "127.0.0.1");
  after(() => server.close());
  await once(server, "listening");
  async function request(path, method = "GET") {
    const agent = new http.Agent({ keepAlive: false });
    const { port } = server.address();
    const pending = http.request({ host: "127.0.0.1", port, path, method, agent }).end();
    const [result] = await once(pending, "response");
    let text = "";
    for await (const part of result) text += part;
    return `${result.statusCode} ${text}`.trim();
  }
  return { top, request };
}

test("serve sends files, and nothing else", { timeout: 60_000 }, async (t) => {
  t.mock.method(console, "error", () => {});
  const { top, request } = await site();
  fs.symlinkSync("../secret", path.join(top, "link"));
  fs.symlinkSync("..", path.join(top, "up"));
  execFileSync("mkfifo", [path.join(top, "fifo")]);
  for (const [path, expected] of [
    ["/page.html", "200 page"],
    ["/sub/page.html?x=../../secret", "200 below"],
    ["/sub/%70age.html", "200 below"],
    ["/sub/../page.html", "200 page"],
    ["/../secret", "403"],
    ["/..%2fsecret", "403"],
    ["/%2e%2e/secret", "403"],
    ["/sub/..%2f..%2fsecret", "403"],
    ["/%2e%2e%5csecret", "403"],
    ["//etc/passwd", "403"],
    ["/%2fetc/passwd", "403"],
    ["/link", "403"],
    ["/up/secret", "403"],
    ["/page.html.", "403"],
    ["/page.html::$DATA", "403"],
    ["/%252e%252e/secret", "404"],
    ["/missing", "404"],
    [`/${"x".repeat(5000)}`, "404"],
    ["/page.html/", "404"],
    ["/sub", "404"],
    ["/", "404"],
    ["/fifo", "404"],
    ["/page.html%00.png", "400"],
    ["/%ff", "400"],
    ["/%zz", "400"],
  ]) {
    assert.equal(await request(path), expected, path);
  }
  assert.equal(await request("/page.html", "POST"), "400");
});

test("serve sends no secret while directories are swapped", { timeout: 60_000 }, async (t) => {
  t.mock.method(console, "error", () => {});
  const { top, request } = await site();
  fs.mkdirSync(path.join(top, "../out"));
  fs.writeFileSync(path.join(top, "../out/page.html"), "secret");
  const [sub, kept, link] = ["sub", "kept", "link"].map((name) => path.join(top, name));
  fs.symlinkSync("../out", link);
  const moves = [
    [sub, kept],
    [link, sub],
    [sub, link],
    [kept, sub],
  ];
  const results = new Set();
  for (let round = 0; round < 200; round += 1) {
    const pending = request("/sub/page.html");
    for (const [from, to] of moves) await fs.promises.rename(from, to);
    results.add(await pending);
  }
  for (const result of results) assert.ok(["200 below", "403", "404"].includes(result), result);
});
