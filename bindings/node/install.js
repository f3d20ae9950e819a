// Puts curt's functions in the place of Node's: `require("curt-fs/install")`, or
// `node -r curt-fs/install`.
"use strict";

const fs = require("fs");
const { syncBuiltinESMExports } = require("module");
const curt = require("./index.js");

const { opendir, opendirSync, readdir, readdirSync, rm, rmSync, promises } = curt;
Object.assign(fs, { opendir, opendirSync, readdir, readdirSync, rm, rmSync });
Object.assign(fs.promises, promises);
syncBuiltinESMExports();
