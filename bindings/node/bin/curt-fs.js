#!/usr/bin/env node
// `npx curt-fs` runs curt, but `rm` also deletes folders, as users of `npx rimraf` expect.
"use strict";

const { run } = require("./curt.js");

const words = process.argv.slice(2);
run(words[0] === "rm" ? ["rm", "-r", ...words.slice(1)] : words);
