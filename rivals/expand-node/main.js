// path.posix.resolve and path.win32.resolve: FLAVOR ROUNDS BASES PATHS.
"use strict";
const [flavor, rounds, baseText, pathText] = process.argv.slice(2);
const { resolve } = require("path")[flavor === "windows" ? "win32" : "posix"];
const bases = baseText.split("|");
const paths = pathText.split("|");
let sum = 0;
for (let round = 0; round < Number(rounds); round++) {
  for (const base of bases) {
    for (const path of paths) {
      sum += resolve(base, path).length;
    }
  }
}
console.log(sum);
