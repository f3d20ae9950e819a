// Node's own functions, as they were before curt-fs/install put others in their place.
"use strict";

const { spawn, spawnSync } = require("child_process");
const fs = require("fs");

const { rm, rmSync, readdir, readdirSync, opendir, opendirSync } = fs;
const promises = {
  rm: fs.promises.rm,
  readdir: fs.promises.readdir,
  opendir: fs.promises.opendir,
};

module.exports = {
  rm,
  rmSync,
  readdir,
  readdirSync,
  opendir,
  opendirSync,
  promises,
  spawn,
  spawnSync,
};
