// path.posix.resolve and path.win32.resolve: FLAVOR ROUNDS BASES PATHS. Once as often as ROUNDS says, and
// as often again by the clock.
"use strict";
const [flavor, roundText, baseText, pathText] = process.argv.slice(2);
const { resolve } = require("path")[flavor === "windows" ? "win32" : "posix"];
const rounds = Number(roundText);
const bases = baseText.split("|");
const paths = pathText.split("|");
function all() {
  let sum = 0;
  for (let round = 0; round < rounds; round++) {
    for (const base of bases) {
      for (const path of paths) {
        sum += resolve(base, path).length;
      }
    }
  }
  return sum;
}
all();
const begin = process.hrtime.bigint();
const sum = all();
const nanoseconds = Number(process.hrtime.bigint() - begin);
console.log(sum / rounds, (nanoseconds / (rounds * bases.length * paths.length)).toFixed(3));
