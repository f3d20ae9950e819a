// Must compile, with the expected errors. Never run.

import type { Dir, Dirent, Stats } from "node:fs";
import { promisify } from "node:util";
import curt, { Root, cp, cpSync, promises, readdir, readdirSync, rm, rmSync } from "curt-fs";
import { paths, pathsSync, statMany, walk, walkPaths } from "curt-fs";
import type { ReaddirOptions } from "curt-fs";
import "curt-fs/install";

type Same<A, B> = [A, B] extends [B, A] ? true : never;
function same<A, B>(_: Same<A, B>): void {}

same<typeof curt.rmSync, typeof rmSync>(true);

rm("a", () => {});
const { signal } = new AbortController();
rm(new URL("file:///a"), { recursive: true, threads: "auto", signal }, (error) => {
  same<typeof error, NodeJS.ErrnoException | null>(true);
});
rmSync(Buffer.from("a"), { force: true, maxRetries: 3, threads: 2 });
// @ts-expect-error: a synchronous call cannot be aborted
rmSync("a", { signal });
// @ts-expect-error: neither a number nor "auto"
void promises.rm("a", { threads: "many" });

cp("a", new URL("file:///b"), { recursive: true, threads: 2, signal }, (error) => {
  same<typeof error, NodeJS.ErrnoException | null>(true);
});
cpSync("a", "b", { recursive: true, filter: (from) => from !== "c" });
// @ts-expect-error: a synchronous call cannot be aborted
cpSync("a", "b", { signal });
const copy = promisify(cp);
same<ReturnType<typeof copy>, Promise<void>>(true);
await promises.cp("a", "b", { filter: async () => true, threads: "auto" });

const names = await promises.readdir("a", { recursive: true });
same<typeof names, string[]>(true);
const plain = readdirSync("a", { recursive: true });
same<typeof plain, string[]>(true);
const buffers = readdirSync("a", { encoding: "buffer" });
same<(typeof buffers)[number] extends Buffer ? true : false, true>(true);
const entries = await promises.readdir("a", { withFileTypes: true, recursive: true });
same<(typeof entries)[number] extends Dirent ? true : false, true>(true);
readdir("a", (error, names) => same<typeof names, string[]>(true));

const listed = await promises.readdir("a", { recursive: true, threads: 2, signal });
same<typeof listed, string[]>(true);
const typed = readdirSync("a", { recursive: true, withFileTypes: true, threads: "auto" });
same<(typeof typed)[number] extends Dirent ? true : false, true>(true);
readdir("a", { encoding: "buffer", signal }, (error, names) => {
  same<typeof names, Buffer[]>(true);
});

const wide = { recursive: true, withFileTypes: true, threads: 2 };
const either = readdirSync("a", wide);
same<typeof either, Dirent[] | string[]>(true);
declare const unknown: ReaddirOptions;
const any = readdirSync("a", unknown);
same<typeof any, Dirent[] | Dirent<Buffer>[] | Buffer[] | string[]>(true);
const bytes = readdirSync("a", { encoding: "buffer", withFileTypes: true, threads: 2 });
same<typeof bytes, Dirent<Buffer>[]>(true);
readdir("a", { signal }, (error, names) => same<typeof names, string[]>(true));
const remove = promisify(rm);
same<ReturnType<typeof remove>, Promise<void>>(true);
await remove("a", { recursive: true, threads: 2, signal });
await remove("a");

const opened = await promises.opendir("a", { recursive: true });
same<typeof opened, Dir>(true);

for await (const { path, directories, files } of walk("a", { onError: (error) => error.code })) {
  same<[typeof path, typeof directories, typeof files], [string, string[], string[]]>(true);
}
for await (const path of walkPaths("a", { exclude: ["b", "*.o"], maxDepth: 2, signal })) {
  same<typeof path, string>(true);
}
same<string[], ReturnType<typeof pathsSync>>(true);
// @ts-expect-error: a synchronous call cannot be aborted
pathsSync("a", { signal });
// @ts-expect-error: a misspelled option
void paths("a", { maxdepth: 2 });
const report = await curt.remove(["a", Buffer.from("b")], { exclude: "c", retries: 2, signal });
same<(typeof report.errors)[number], NodeJS.ErrnoException>(true);
// @ts-expect-error: a synchronous call has no progress
curt.removeSync("a", { onProgress: () => {} });
const answers = await statMany(new Set(["a", "b"]), { followSymlinks: false });
same<(typeof answers)[number], Stats | NodeJS.ErrnoException>(true);

const found = await curt.which("node", { path: "/usr/bin" });
same<typeof found, string | null>(true);
const everything = await curt.which("node", { all: true });
same<typeof everything, string[]>(true);
const child = curt.spawn("npm", ["install"], { stdio: "inherit" });
child.on("exit", (code) => same<typeof code, number | null>(true));
same<string, ReturnType<typeof curt.expandPath>>(true);
const { allocated } = await curt.usage("a", { threads: 1 });
same<typeof allocated, number>(true);

const root = await Root.open("a", { strict: true });
const descriptor = await root.open("b", "r");
same<typeof descriptor, number>(true);
// @ts-expect-error: a descriptor has no path
descriptor.path;
