// Starts programs by child_process.spawnSync: SHAPE COUNT FOLDER.
const { readdirSync } = require("node:fs");
const { join } = require("node:path");
const { spawnSync } = require("node:child_process");

const [shape, count, folder] = process.argv.slice(2);
const entries = readdirSync(folder, { withFileTypes: true });
let places = entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name)).sort();
if (places.length < 197) {
  console.log(0);
  process.exit(0);
}
const hello = join(places[196], "hello");
if (shape === "near") places = [places[196]];
const env = { ...process.env, PATH: places.join(":") };
const resident = shape === "large" ? Buffer.alloc(2 ** 30, 1) : null;
const programs = { path: hello, large: hello, linked: "/bin/true", nowhere: "curt-no-such-program" };
let well = 0;
for (let start = 0; start < Number(count); start++) {
  const ended = spawnSync(programs[shape] ?? "hello", [], { stdio: "inherit", env });
  well += shape === "nowhere" ? ended.error?.code === "ENOENT" : ended.status === 0;
}
if (resident !== null && resident[0] !== 1) process.exit(1);
console.log(well);
