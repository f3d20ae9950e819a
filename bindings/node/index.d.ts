/// <reference types="node" />

import type { Dir, Dirent, Stats } from "node:fs";
import type * as fs from "node:fs";
import type { spawn as nodeSpawn, spawnSync as nodeSpawnSync } from "node:child_process";

type PathLike = fs.PathLike;

/** Options of operations on whole trees. */
export interface TreeOptions {
  /** The most threads to use, 1 to 1024. `"auto"`, the default, uses as many as measurably help. */
  threads?: number | "auto" | undefined;
}

/** Options of operations that can be aborted. */
export interface Abortable {
  /**
   * Ends the operation before its next entry and rejects its promise with an `AbortError`. Node's
   * own functions, such as `rm` without `recursive`, continue after the rejection.
   *
   * `process.exit()` aborts the operations of its thread; `worker.terminate()` waits for the
   * worker's operations.
   */
  signal?: AbortSignal | undefined;
}

/** The options of `fs.cp`, and `threads`. */
export type CpOptions = fs.CopyOptions & TreeOptions;

type CpPath = string | URL;

/**
 * Copies a file or a tree, like `fs.cp`, with the codes of `fs.promises.cp`. The first failure ends
 * the copy. `path` names the entry that failed, also in errors of `copyfile` and `symlink`.
 *
 * Node's own function handles calls without `recursive`, with a `filter` or with `COPYFILE_EXCL`,
 * and `dest` itself if it exists and `errorOnExist` applies. It also handles single entries: a
 * symlink whose destination exists (on Windows any relative one, without `verbatimSymlinks`) and,
 * with `dereference`, a directory whose destination is a symlink. Unlike curt it finds them by
 * their paths, and follows directories that become symlinks.
 *
 * A file is replaced by renaming its finished copy, so the old one is never lost; it keeps its
 * owner if that is permitted. Blocks are shared with the source if the filesystem can share them.
 * Permissions include access rules, and `preserveTimestamps` includes directories and symlinks.
 * Devices are neither copied nor replaced (`ERR_FS_CP_UNKNOWN`). Names need not be UTF-8; Node
 * fails for such trees.
 *
 * On Linux a copy costs ten system calls per file, three per symlink and thirteen per directory.
 *
 * @example
 * cp("public", "dist", { recursive: true }, (error) => {
 *   if (error) throw error;
 * });
 */
export function cp(src: CpPath, dest: CpPath, callback: fs.NoParamCallback): void;
export function cp(
  src: CpPath,
  dest: CpPath,
  options: CpOptions & Abortable,
  callback: fs.NoParamCallback,
): void;
export namespace cp {
  /** The result of `util.promisify(cp)`. */
  function __promisify__(
    src: CpPath,
    dest: CpPath,
    options?: CpOptions & Abortable,
  ): Promise<void>;
}

/**
 * Copies a file or a tree, like `fs.cpSync`, with the errors of `cp`.
 *
 * @example
 * cpSync("public", "dist", { recursive: true, preserveTimestamps: true });
 */
export function cpSync(
  src: CpPath,
  dest: CpPath,
  options?: fs.CopySyncOptions & TreeOptions,
): void;

/** The options of `fs.rm`, and `threads`. `maxRetries` counts retries of the whole tree. */
export type RmOptions = fs.RmOptions & TreeOptions;

/**
 * Removes a file or a tree, like `fs.rm`, with the errors of `fs.promises.rm`. After a failure the
 * removal continues, and the error names the first entry that failed, which varies with several
 * threads.
 *
 * Refuses a path ending in `..` (`EINVAL`) and a symlink followed by a slash (`ENOTDIR`), because
 * Node would report success without removing anything, or remove something else. Mount points and
 * their contents remain (`EBUSY`).
 *
 * Without `recursive`, this calls Node's own function. On Linux a tree costs one system call per
 * entry and five more per directory.
 *
 * @example
 * rm("build", { recursive: true, force: true }, (error) => {
 *   if (error) throw error;
 * });
 */
export function rm(path: PathLike, callback: fs.NoParamCallback): void;
export function rm(
  path: PathLike,
  options: RmOptions & Abortable,
  callback: fs.NoParamCallback,
): void;
export namespace rm {
  /** The result of `util.promisify(rm)`. */
  function __promisify__(path: PathLike, options?: RmOptions & Abortable): Promise<void>;
}

/**
 * Removes a file or a tree, like `fs.rmSync`, with the errors of `rm`.
 *
 * @example
 * rmSync("build", { recursive: true, force: true });
 */
export function rmSync(path: PathLike, options?: RmOptions): void;

/** The options of `fs.readdir`, and `threads`. */
export type ReaddirOptions = {
  encoding?: BufferEncoding | "buffer" | null | undefined;
  recursive?: boolean | undefined;
  withFileTypes?: boolean | undefined;
} & TreeOptions;

/** Names or entries, depending on the options. */
export type Listed<O extends ReaddirOptions> = ListedAs<O["withFileTypes"], O["encoding"]>;

type ListedAs<Types, Encoding> = Types extends true
  ? Encoding extends "buffer"
    ? Dirent<Buffer>[]
    : Dirent[]
  : Encoding extends "buffer"
    ? Buffer[]
    : string[];

/**
 * Lists a directory or a tree, like `fs.readdir`. Node's own function handles single directories,
 * paths passed as a `Buffer`, and encodings other than `"utf8"` and `"buffer"`. With `"buffer"`,
 * names need not be UTF-8; Node fails for such trees.
 *
 * All forms list in the order of `fs.readdirSync`: entries of one depth before those of the next.
 * The call fails if any directory cannot be listed. Without file types, Node instead omits
 * subdirectories' contents if their parent is readable but not searchable.
 *
 * As in Node, symlinks to directories are followed without `withFileTypes`, and since Node 22.13
 * also with it, except by `promises.readdir`. A symlink to an ancestor is listed, but not followed.
 *
 * On Linux a listing costs four system calls per directory, and two per followed symlink.
 *
 * @example
 * readdir("project", { recursive: true }, (error, names) => {
 *   if (error) throw error;
 *   console.log(names.filter((name) => name.endsWith(".js")));
 * });
 */
export const readdir: (<O extends ReaddirOptions & Abortable>(
  path: PathLike,
  options: O,
  callback: (error: NodeJS.ErrnoException | null, entries: Listed<O>) => void,
) => void) &
  typeof fs.readdir;

/**
 * Lists a directory or a tree, like `fs.readdirSync`; see `readdir`.
 *
 * @example
 * for (const entry of readdirSync("project", { recursive: true, withFileTypes: true })) {
 *   if (entry.isFile()) console.log(entry.name);
 * }
 */
export const readdirSync: (<O extends ReaddirOptions>(path: PathLike, options: O) => Listed<O>) &
  typeof fs.readdirSync;

/**
 * The options of `fs.opendir`. `recursive` is missing from the types of Node 18, which supports it.
 */
export type OpendirOptions = fs.OpenDirOptions & { recursive?: boolean | undefined };

/**
 * Opens a directory or a tree for incremental listing, like `fs.opendir`; see `promises.opendir`.
 *
 * @example
 * opendir("project", { recursive: true }, (error, directory) => {
 *   if (error) throw error;
 *   directory.read((error, entry) => {
 *     if (error) throw error;
 *     console.log(entry?.name);
 *     directory.closeSync();
 *   });
 * });
 */
export const opendir: typeof fs.opendir &
  ((
    path: PathLike,
    options: OpendirOptions,
    callback: (error: NodeJS.ErrnoException | null, directory: Dir) => void,
  ) => void);

/**
 * Opens a directory or a tree for incremental listing, like `fs.opendirSync`; see
 * `promises.opendir`. Every error of a tree has a `path`.
 *
 * @example
 * const directory = opendirSync("project", { recursive: true });
 * for (let entry; (entry = directory.readSync()) !== null; ) console.log(entry.name);
 * directory.closeSync();
 */
export const opendirSync: typeof fs.opendirSync &
  ((path: PathLike, options: OpendirOptions) => Dir);

/** The promise forms, as in `fs.promises`. */
export namespace promises {
  /** Copies a file or a tree; see `cp`. */
  function cp(src: CpPath, dest: CpPath, options?: CpOptions & Abortable): Promise<void>;

  /** Removes a file or a tree; see `rm`. */
  function rm(path: PathLike, options?: RmOptions & Abortable): Promise<void>;

  /** Lists a directory or a tree; see `readdir`. */
  const readdir: typeof fs.promises.readdir &
    (<O extends ReaddirOptions & Abortable>(path: PathLike, options: O) => Promise<Listed<O>>);

  /**
   * Opens a directory or a tree for incremental listing. With `recursive`, entries come in the
   * order of the filesystem, each directory before its entries, and no symlink except the path
   * itself is followed. If a directory cannot be listed, one `read` fails, and the next continues
   * after that directory. About 32 KiB of names are read ahead. Without `recursive`, this calls
   * Node's own function.
   */
  const opendir: typeof fs.promises.opendir &
    ((path: PathLike, options: OpendirOptions) => Promise<Dir>);
}

/** A directory of a walk. */
export interface WalkedDirectory {
  /** The top as passed and the names below it, joined by the system's separator. */
  path: string;
  /**
   * The names of subdirectories, walked in this order. The walk skips names that you remove, and
   * ignores names that you add.
   */
  directories: string[];
  /** The names of all other entries, including symlinks. */
  files: string[];
}

/** Options of `walk`. */
export interface WalkOptions extends Abortable {
  /**
   * Called with the error of a directory that cannot be listed; not awaited. Without `onError`, the
   * error ends the walk.
   */
  onError?: ((error: NodeJS.ErrnoException) => void) | undefined;
}

/**
 * Walks a tree one directory at a time, parents first, in the order of the filesystem. The tree
 * may be deeper than the longest possible path.
 *
 * Follows no symlink except `top`. Replacing a directory with a symlink during the walk is an
 * error; a directory that moves is still listed. Directories without subdirectories are read ahead
 * of the loop, up to about 64 KiB of names. On Linux a walk costs five system calls per directory.
 *
 * @example
 * for await (const { path, directories, files } of walk("project")) {
 *   const at = directories.indexOf("node_modules");
 *   if (at >= 0) directories.splice(at, 1);
 *   for (const name of files) console.log(`${path}/${name}`);
 * }
 */
export function walk(
  top: PathLike,
  options?: WalkOptions,
): AsyncGenerator<WalkedDirectory, void, undefined>;

/** Options of `paths`, `pathsSync` and `walkPaths`. */
export interface PathsOptions {
  /**
   * Globs of entries to skip, with everything inside. As with `curt find --exclude`, a glob without
   * a slash matches names at any depth, one with a slash the path below `top`, and one that ends
   * with a slash only directories. To decide by a function, use `walk`.
   */
  exclude?: string | readonly string[] | undefined;
  /** The number of levels to list; 1 lists only the entries of `top`. No limit by default. */
  maxDepth?: number | undefined;
  /**
   * Called with each error, such as that of a directory that cannot be listed; not awaited. Without
   * `onError`, the error ends the listing.
   */
  onError?: ((error: NodeJS.ErrnoException) => void) | undefined;
  /** Lists only directories, or only other entries, including symlinks. By default lists both. */
  only?: "files" | "directories" | undefined;
}

/**
 * Lists the paths of a tree: each `top` as passed and the names below it, without `top` itself. All
 * entries of a directory come before those of its subdirectories, in the order of the filesystem.
 *
 * Follows no symlink except `top`. An invalid glob is an error with the code
 * `ERR_INVALID_ARG_VALUE`. On Linux a listing costs four system calls per directory.
 *
 * @example
 * const sources = await paths("project", { exclude: ["node_modules", "*.o"], only: "files" });
 */
export function paths(top: PathLike, options?: PathsOptions & Abortable): Promise<string[]>;

/**
 * Lists the paths of a tree; see `paths`.
 *
 * @example
 * const directories = pathsSync("project", { only: "directories", maxDepth: 2 });
 */
export function pathsSync(top: PathLike, options?: PathsOptions): string[];

/**
 * Iterates over the paths of a tree; see `paths`. Reads about 64 KiB of paths ahead.
 *
 * @example
 * for await (const path of walkPaths("project", { only: "files" })) console.log(path);
 */
export function walkPaths(
  top: PathLike,
  options?: PathsOptions & Abortable,
): AsyncGenerator<string, void, undefined>;

/** Options of `remove` and `removeSync`. */
export interface RemoveOptions extends TreeOptions {
  /** Empties directories without removing them, and refuses anything else. */
  contents?: boolean | undefined;
  /**
   * Globs of entries to keep, with everything inside and their parent directories. They match as in
   * `paths`.
   */
  exclude?: string | readonly string[] | undefined;
  /** Ignores missing paths. */
  force?: boolean | undefined;
  /**
   * Gives the user's own directories in the tree the permissions that their removal needs. Those
   * that remain get back theirs, unless the process is killed.
   */
  makeWritable?: boolean | undefined;
  /**
   * How often, within a second, a directory is emptied again while other programs add entries. The
   * default is 100.
   */
  retries?: number | undefined;
}

/** Entries removed so far. */
export interface RemoveProgress {
  /** Entries other than directories. */
  files: number;
  /** Directories. */
  directories: number;
}

/** The result of `remove`. */
export interface RemoveReport extends RemoveProgress {
  /** The number of excluded entries, without those inside excluded directories. */
  skipped: number;
  /** How often a directory got permissions. */
  madeWritable: number;
  /** The error of each entry that remains, with its `path` and `code`. Empty if all went well. */
  errors: NodeJS.ErrnoException[];
}

/**
 * Removes files and trees, and reports what remains: a failure below a path, or of a path itself,
 * is in `errors` and does not reject the promise. With `onProgress`, calls it with the numbers of
 * removed entries, ten times a second and at the end; what it throws stops the removal and rejects
 * the promise.
 *
 * Refuses the same paths as `rm`. An invalid glob is an error with the code
 * `ERR_INVALID_ARG_VALUE`. On Linux a tree costs one system call per entry and five more per
 * directory.
 *
 * @example
 * const { files, errors } = await remove(["build", "dist"], { exclude: "*.log", force: true });
 * for (const { message } of errors) console.error(message);
 */
export function remove(
  path: PathLike | readonly PathLike[],
  options?: RemoveOptions &
    Abortable & { onProgress?: ((removed: RemoveProgress) => void) | undefined },
): Promise<RemoveReport>;

/**
 * Removes files and trees; see `remove`.
 *
 * @example
 * const { skipped } = removeSync("cache", { contents: true, exclude: "keep/" });
 */
export function removeSync(
  path: PathLike | readonly PathLike[],
  options?: RemoveOptions,
): RemoveReport;

/** Options of `statMany`. */
export interface StatManyOptions extends Abortable {
  /** Follows symlinks like `fs.stat` (the default) or not, like `fs.lstat`. */
  followSymlinks?: boolean | undefined;
}

/**
 * Returns the metadata of many paths, in order: for each the result of `fs.stat` or `fs.lstat`, or
 * the error. There is no `bigint` form.
 *
 * Each path costs one system call. With `followSymlinks`, a missing path costs one more and a
 * broken symlink two more.
 *
 * @example
 * const names = ["package.json", "missing"];
 * for (const [at, stats] of (await statMany(names)).entries()) {
 *   console.log(names[at], stats instanceof Error ? stats.code : stats.size);
 * }
 */
export function statMany(
  paths: Iterable<PathLike>,
  options?: StatManyOptions,
): Promise<(Stats | NodeJS.ErrnoException)[]>;

/** Disk usage of a tree. A file with several hard links counts once. */
export interface Usage {
  /** The number of entries, including the top and all directories. */
  entries: number;
  /**
   * The total size in bytes of files and symlinks, without directories (`du --apparent-size` counts
   * them).
   */
  size: number;
  /** The allocated space in bytes, including that of directories. */
  allocated: number;
}

/**
 * Measures a tree without following symlinks. The first failure rejects the promise. On Linux this
 * costs one system call per entry and five more per directory.
 *
 * @example
 * const { entries, size, allocated } = await usage("node_modules");
 */
export function usage(path: PathLike, options?: TreeOptions & Abortable): Promise<Usage>;

/** Options of `which` and `whichSync`. */
export interface WhichOptions {
  /**
   * Replaces `process.env.PATH`. An empty element means the working directory; outside Windows, so
   * does an empty string.
   */
  path?: string | undefined;
  /** Replaces `process.env.PATHEXT`. Ignored outside Windows. */
  pathExt?: string | undefined;
  /** The base of relative names and search path elements, instead of the working directory. */
  cwd?: string | undefined;
  /** Returns an array of all programs with this name, in the order of the search. */
  all?: boolean | undefined;
}

/**
 * Finds the program that `spawn` would start, under the rules of `execvp`, or of cmd.exe on
 * Windows. Returns its absolute path, or `null` if there is none. Other system errors reject the
 * promise. A path that is not UTF-8 contains replacement characters and cannot be used.
 *
 * @example
 * const git = await which("git");
 * const shells = await which("sh", { all: true });
 */
export function which(name: string, options: WhichOptions & { all: true }): Promise<string[]>;
export function which(
  name: string,
  options?: WhichOptions & { all?: false | undefined },
): Promise<string | null>;

/**
 * Finds the program that `spawnSync` would start; see `which`.
 *
 * @example
 * if (whichSync("git") === null) console.error("git is not installed");
 */
export function whichSync(name: string, options: WhichOptions & { all: true }): string[];
export function whichSync(
  name: string,
  options?: WhichOptions & { all?: false | undefined },
): string | null;

/**
 * Starts a program, like `child_process.spawn`. Outside Windows this is Node's own function.
 *
 * On Windows, unless `shell` is set, the rules of `which` find the program (`.bat`, `.cmd`, `.com`
 * or `.exe`), so `npm` starts `npm.cmd`.
 *
 * cmd.exe starts batch files, with arguments quoted so that it cannot misread them. A line break
 * cannot be quoted and is refused with `ERR_INVALID_ARG_VALUE`. `argv0` does not reach a batch
 * file. cmd.exe fails if the whole line exceeds 8,191 characters.
 *
 * As in Node, `timeout` ends only the child. The command `curt run -t` ends its process group, or
 * on Windows its job.
 *
 * @example
 * spawn("npm", ["--version"], { stdio: "inherit" });
 */
export const spawn: typeof nodeSpawn;

/**
 * Starts a program and waits for it, like `child_process.spawnSync`; see `spawn`.
 *
 * @example
 * const { status } = spawnSync("npm", ["--version"]);
 */
export const spawnSync: typeof nodeSpawnSync;

/**
 * Makes a path absolute like `path.resolve`, and expands a leading `~` or `~user`. A relative path
 * starts at `base`, by default the working directory. Symlinks are not resolved.
 *
 * An unknown user or home directory is an error with the code `ERR_INVALID_ARG_VALUE`. `~user`
 * blocks while it queries the user database. On Windows every `~user` is unknown.
 *
 * @example
 * expandPath("~/.npmrc"); // "/home/me/.npmrc"
 * expandPath("../b", "/a/c"); // "/a/b"
 */
export function expandPath(path: string, base?: string): string;

/** Options of `Root.open`. */
export interface RootOptions {
  /** Treats the directory as the root of all paths, as `chroot`: `/a` and `../a` become `a`. */
  inRoot?: boolean | undefined;
  /**
   * Refuses symlinks, and names that mean a different file on some system, such as `nul` or `a.`.
   */
  strict?: boolean | undefined;
}

/** Options of `root.rm`. */
export interface RootRmOptions extends TreeOptions, Abortable {
  /** Removes a directory with its contents. */
  recursive?: boolean | undefined;
  /** Ignores a missing path. */
  force?: boolean | undefined;
}

/**
 * A directory that no untrusted path escapes, even while another program replaces directories with
 * symlinks.
 *
 * The methods differ from `fs.promises`:
 *
 * - A path that would leave the root, or that a strict root refuses, fails with `EXDEV` and the
 *   reason in its message. A symlink that is not followed fails with `ELOOP`.
 * - `EAGAIN` means that other programs renamed directories too often to check `..`.
 * - Once the root is closed, methods fail with `ERR_DIR_CLOSED`.
 * - Errors have the paths as passed, also on Windows.
 * - In a directory that the user may not search, `name/` fails with `EACCES`.
 *
 * A file can have several names: symlinks, and short names on Windows. So a list of forbidden
 * names, such as `.htpasswd`, protects only a strict root, which refuses both.
 *
 * On Linux most methods cost one system call for a name in the root, and three for a longer path;
 * before Linux 5.6 about two per name in the path.
 *
 * @example
 * const root = await Root.open("public", { strict: true });
 * console.log(await root.readdir("."));
 * console.log(await root.open("../secret").catch((error) => error.code)); // EXDEV
 * root.close();
 */
export class Root {
  private constructor();

  /** Opens a directory by a trusted path. */
  static open(path: PathLike, options?: RootOptions): Promise<Root>;

  /**
   * Opens a file and returns its descriptor, which the caller closes. Flags and mode are those of
   * `fs.open`, except `s`, `O_DIRECTORY`, `O_PATH` and `O_TMPFILE`. Windows ignores the mode.
   *
   * Opens directories and devices, too; check with `fs.fstat`. A FIFO does not block: opening one
   * for writing without a reader fails with `ENXIO`.
   *
   * A worker does not close the descriptor when it exits, and `fs.close` may warn in a worker
   * unless `trackUnmanagedFds` is false.
   */
  open(path: PathLike, flags?: string | number, mode?: number): Promise<number>;

  /** Opens a directory as a root with the same options. */
  openRoot(path: PathLike): Promise<Root>;

  /** Lists the names in a directory, in the order of the filesystem. `.` is the root. */
  readdir(path: PathLike): Promise<string[]>;

  /** Returns the metadata of a file. Follows symlinks within the root. */
  stat(path: PathLike): Promise<Stats>;

  /** Returns the metadata of a file, or of a symlink itself. */
  lstat(path: PathLike): Promise<Stats>;

  /** Returns the target of a symlink, which may lie outside the root. */
  readlink(path: PathLike): Promise<string>;

  /**
   * Creates a directory. The mode is 0o777 by default, less the umask; Windows ignores it. With
   * `recursive`, also creates missing parents, accepts an existing directory, and returns the first
   * path it created, as passed.
   */
  mkdir(
    path: PathLike,
    options?: { recursive?: boolean | undefined; mode?: number | undefined },
  ): Promise<string | undefined>;

  /** Renames a file, replacing an existing one. */
  rename(oldPath: PathLike, newPath: PathLike): Promise<void>;

  /**
   * Creates a symlink with the target as passed, which other programs may follow out of the root.
   * On Windows it fails with `ENOTSUP`.
   */
  symlink(target: PathLike, path: PathLike): Promise<void>;

  /** Creates a hard link to a file, or to a symlink itself. */
  link(existingPath: PathLike, newPath: PathLike): Promise<void>;

  /** Removes a file, or a symlink itself. */
  unlink(path: PathLike): Promise<void>;

  /** Removes an empty directory. */
  rmdir(path: PathLike): Promise<void>;

  /**
   * Removes a file or a tree, and stops at the first failure. With `recursive`, a path ending in
   * `.` or `..` fails with `EINVAL`, and `link/` with `ENOTDIR`.
   */
  rm(path: PathLike, options?: RootRmOptions): Promise<void>;

  /**
   * Closes the directory. Files opened beneath it remain open, and operations in progress finish.
   */
  close(): void;

  /** Closes the directory at the end of a `using` block. */
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}
