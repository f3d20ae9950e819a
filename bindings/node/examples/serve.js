// A file server that sends only files beneath its folder, even while somebody swaps directories.
//
// usage: node serve.js FOLDER [PORT]
//
// Then `curl --path-as-is http://127.0.0.1:8000/../secret` gets 403, and the log says why.
"use strict";

const fs = require("fs");
const http = require("http");
const { pipeline } = require("stream");
const { Root } = require("curt-fs");

const STATUS = {
  EXDEV: 403,
  ELOOP: 403,
  EACCES: 403,
  ENOENT: 404,
  ENOTDIR: 404,
  ENXIO: 404,
  ENAMETOOLONG: 404,
};

class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Returns the requested path, decoded exactly once: decoding twice would turn `%252e` into a dot.
 */
function pathOf({ method, url }) {
  const [, path] = /^\/([^?#]*)/.exec(url) ?? [];
  try {
    if (method === "GET" && path !== undefined) return decodeURIComponent(path);
  } catch {
  }
  throw new Refused(400, `bad request: ${method} ${url}`);
}

/**
 * Opens a regular file. Refuses directories and devices, which `root.open` opens without blocking.
 */
async function open(root, request) {
  const fd = await root.open(pathOf(request) || ".");
  if (fs.fstatSync(fd).isFile()) return fd;
  fs.closeSync(fd);
  throw new Refused(404, `no file: ${request.url}`);
}

async function answer(root, request, response) {
  try {
    const stream = fs.createReadStream("", { fd: await open(root, request) });
    // `pipeline` closes the file even if the client disconnects.
    pipeline(stream, response, () => {});
  } catch (error) {
    const isBad = error.code === "ERR_INVALID_ARG_VALUE";
    const status = error.status ?? STATUS[error.code] ?? (isBad ? 400 : 500);
    // Quoted, because a client could send terminal escapes.
    console.error(status, JSON.stringify(error.message));
    response.writeHead(status).end();
  }
}

async function serve(folder) {
  const root = await Root.open(folder, { strict: true });
  return http.createServer((request, response) => answer(root, request, response));
}

if (require.main === module) {
  const [folder = ".", port = "8000"] = process.argv.slice(2);
  serve(folder).then((server) => server.listen(Number(port), "127.0.0.1"));
}

module.exports = { serve };
