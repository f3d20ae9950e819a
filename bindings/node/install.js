// Puts curt's functions in the place of Node's: `require("curt-fs/install")`, or
// `node -r curt-fs/install`.
"use strict";

const fs = require("fs");
const { syncBuiltinESMExports } = require("module");
const curt = require("./index.js");

Object.assign(fs, { rm: curt.rm, rmSync: curt.rmSync });
Object.assign(fs.promises, { rm: curt.promises.rm });
syncBuiltinESMExports();
