/// <reference types="node" />

import type { Dir, Dirent, Stats } from "node:fs";
import type * as fs from "node:fs";
import type { spawn as nodeSpawn, spawnSync as nodeSpawnSync } from "node:child_process";

type PathLike = fs.PathLike;

/** Options of operations on whole trees. */
export interface TreeOptions {
  /**
   * The most threads that work at the same time: 1 to 1024, or `"auto"`, the default, which starts
   * others only where the measured rate shows that they pay. They end before the operation does.
   * Where Node's own function does the work, the option is ignored.
   */
  threads?: number | "auto" | undefined;
}

/** Options of operations that can be aborted. */
export interface Abortable {
  /**
   * Ends the operation before its next entry. Then its promise is rejected with an `AbortError`.
   * What was already done stays done. Where Node's own function does the work, such as `rm` without
   * `recursive`, the promise is rejected at once, and that function goes on.
   *
   * `process.exit()` aborts the operations of its thread. `worker.terminate()` waits for those of
   * the worker.
   */
  signal?: AbortSignal | undefined;
}

/**
 * The options of `fs.rm`, and `threads`. `maxRetries` counts the retries of the whole tree, where
 * Node counts those of each entry.
 */
export type RmOptions = fs.RmOptions & TreeOptions;

/**
 * Removes a file or a tree, as `fs.rm` does. All forms have the errors of `fs.promises.rm`, in all
 * versions of Node. An error names the entry that failed first; everything else that can be removed
 * is removed. Unless `threads` is 1, it can be a different entry each time.
 *
 * curt refuses what Node would report as removed although it is not, or would remove although it
 * was not named: `EINVAL` for a path that ends in `..`, and `ENOTDIR` for a link with a slash
 * behind it. A mount point stays, with everything in it (`EBUSY`).
 *
 * Without `recursive`, Node's own function is called. On Linux a tree costs one call for each entry
 * and five more for each directory.
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
 * Removes a file or a tree, as `fs.rmSync` does, with the errors of `rm`.
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

/**
 * The result of `readdir` with these options: names, or entries. A union where the type of the
 * options does not say which.
 */
export type Listed<O extends ReaddirOptions> = ListedAs<O["withFileTypes"], O["encoding"]>;

type ListedAs<Types, Encoding> = Types extends true
  ? Encoding extends "buffer"
    ? Dirent<Buffer>[]
    : Dirent[]
  : Encoding extends "buffer"
    ? Buffer[]
    : string[];

/**
 * Lists a directory or a tree, as `fs.readdir` does. curt lists trees. Node's own function lists a
 * single directory, a tree whose path is a `Buffer`, and names in encodings other than `"utf8"` and
 * `"buffer"`. With `"buffer"`, a tree can have names that are not UTF-8, for which Node fails.
 *
 * All forms have the order of `fs.readdirSync`: the entries of one depth before those of the next.
 * A directory that cannot be listed rejects the whole listing with its error. So does one in a
 * directory that may be read but not searched; without file types Node leaves out what is in it.
 *
 * Whether links to directories are followed is up to the form, as in Node. Without `withFileTypes`
 * they are. With it they are since Node 22.13, but not by `promises.readdir`. A link that leads
 * back to an ancestor is listed, and not followed.
 *
 * A file that is added or removed meanwhile may or may not be listed. On Linux a listing costs four
 * calls for each directory, and two for each link that is followed.
 *
 * @example
 * readdir("project", { recursive: true }, (error, names) => {
 *   if (error) throw error;
 *   console.log(names.filter((name) => name.endsWith(".js")));
 * });
 */
export const readdir: typeof fs.readdir &
  (<O extends ReaddirOptions & Abortable>(
    path: PathLike,
    options: O,
    callback: (error: NodeJS.ErrnoException | null, entries: Listed<O>) => void,
  ) => void);

/**
 * Lists a directory or a tree, as `fs.readdirSync` does; see `readdir`.
 *
 * @example
 * for (const entry of readdirSync("project", { recursive: true, withFileTypes: true })) {
 *   if (entry.isFile()) console.log(entry.name);
 * }
 */
export const readdirSync: typeof fs.readdirSync &
  (<O extends ReaddirOptions>(path: PathLike, options: O) => Listed<O>);

/** The options of `fs.opendir`. Types of Node 18 lack `recursive`, which that version has. */
export type OpendirOptions = fs.OpenDirOptions & { recursive?: boolean | undefined };

/**
 * Opens a directory or a tree to be listed a part at a time, as `fs.opendir` does; see
 * `promises.opendir`.
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
 * Opens a directory or a tree to be listed a part at a time, as `fs.opendirSync` does; see
 * `promises.opendir`. The errors of a tree have a `path`, also for its top, where Node's have none.
 *
 * @example
 * const directory = opendirSync("project", { recursive: true });
 * for (let entry; (entry = directory.readSync()) !== null; ) console.log(entry.name);
 * directory.closeSync();
 */
export const opendirSync: typeof fs.opendirSync &
  ((path: PathLike, options: OpendirOptions) => Dir);

/** The forms that return promises, as in `fs.promises`. */
export namespace promises {
  /** Removes a file or a tree; see `rm`. */
  function rm(path: PathLike, options?: RmOptions & Abortable): Promise<void>;

  /** Lists a directory or a tree; see `readdir`. */
  const readdir: typeof fs.promises.readdir &
    (<O extends ReaddirOptions & Abortable>(path: PathLike, options: O) => Promise<Listed<O>>);

  /**
   * Opens a directory or a tree to be listed a part at a time. With `recursive`, curt lists the
   * tree, in the order of the system, a directory before the entries in it. No links are followed,
   * but the path itself. A directory that cannot be listed is an error of one `read`; the next one
   * goes on behind it. About 32 KiB of names are read ahead, so later changes may not be seen.
   * Without `recursive`, Node's own function is called.
   */
  const opendir: typeof fs.promises.opendir &
    ((path: PathLike, options: OpendirOptions) => Promise<Dir>);
}

/** A directory of a walk. */
export interface WalkedDirectory {
  /**
   * The path: the top as it was passed, and the names below it, with the separator of the system
   * between them.
   */
  path: string;
  /**
   * The names of subdirectories. Once the loop goes on, they are walked in the order of this array.
   * Removed names are not walked; added names are ignored.
   */
  directories: string[];
  /** The names of everything else, including links. */
  files: string[];
}

/** Options of `walk`. */
export interface WalkOptions extends Abortable {
  /**
   * Called with the error of a directory that cannot be listed, also of one that was removed
   * meanwhile. Without it, that error ends the walk. Its result is ignored, and not awaited.
   */
  onError?: ((error: NodeJS.ErrnoException) => void) | undefined;
}

/**
 * Walks a tree, a directory at a time, each before its subdirectories. The order in a directory is
 * that of the system. Trees can be deeper than a path may be long. Names that are not UTF-8 are
 * shown as `fs` shows them, and such directories are walked, too.
 *
 * Follows no symbolic link except `top` itself. A directory that is replaced by a link during the
 * walk is an error; a directory moved during the walk is still listed. Directories without
 * subdirectories are listed ahead of the loop, up to about 64 KiB of names, so changes that the
 * loop makes there may not be seen. All names in one directory are in memory at the same time.
 *
 * Leaving the loop closes what is open. On Linux a walk costs five calls for each directory.
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

/** Options of `statMany`. */
export interface StatManyOptions extends Abortable {
  /** Whether links are followed, as by `fs.stat`, or not, as by `fs.lstat`. By default they are. */
  followSymlinks?: boolean | undefined;
}

/**
 * Returns the metadata of many paths, in their order: for each the result of `fs.stat` or
 * `fs.lstat`, or its error. The numbers are no `bigint`s.
 *
 * Each path costs one call, on one thread of the pool. With `followSymlinks`, a missing path costs
 * a second one, and a broken link two more.
 *
 * @example
 * const paths = ["package.json", "missing"];
 * for (const [at, stats] of (await statMany(paths)).entries()) {
 *   console.log(paths[at], stats instanceof Error ? stats.code : stats.size);
 * }
 */
export function statMany(
  paths: Iterable<PathLike>,
  options?: StatManyOptions,
): Promise<(Stats | NodeJS.ErrnoException)[]>;

/** Disk usage of a tree. A file with several links counts once. Above 2^53 numbers are rounded. */
export interface Usage {
  /** How many entries there are, including the top and all directories. */
  entries: number;
  /**
   * The sizes of all entries but directories, in bytes. Links count; `du --apparent-size` counts
   * directories, too.
   */
  size: number;
  /** The space that is allocated, including that of directories, in bytes. */
  allocated: number;
}

/**
 * Returns the disk usage of a tree, as `du` does. Links are not followed. The first failure rejects
 * the promise. On Linux it costs one call for each entry and five more for each directory.
 *
 * @example
 * const { entries, size, allocated } = await usage("node_modules");
 */
export function usage(path: PathLike, options?: TreeOptions & Abortable): Promise<Usage>;

/** Options of `which` and `whichSync`. */
export interface WhichOptions {
  /**
   * The search path in place of `process.env.PATH`. An empty element is the working directory, and
   * so is an empty text outside Windows.
   */
  path?: string | undefined;
  /** The extensions in place of `process.env.PATHEXT`. Ignored outside Windows. */
  pathExt?: string | undefined;
  /** The working directory that relative names and elements of the search path start at. */
  cwd?: string | undefined;
}

/**
 * Finds the program that `spawn` would start, by the rules of `execvp`, on Windows by those of
 * cmd.exe. Returns its absolute path, or `null` if there is none. Other errors of the system reject
 * the promise.
 *
 * When the program is started, it can already be another one, or gone. A path that is not UTF-8 is
 * returned with replacement characters, which lead nowhere.
 *
 * @example
 * const git = await which("git");
 */
export function which(name: string, options?: WhichOptions): Promise<string | null>;

/**
 * Finds the program that `spawnSync` would start; see `which`.
 *
 * @example
 * if (whichSync("git") === null) console.error("git is not installed");
 */
export function whichSync(name: string, options?: WhichOptions): string | null;

/**
 * Starts a program, as `child_process.spawn` does. Outside Windows it is that function.
 *
 * On Windows, without `shell`, `npm` also finds `npm.cmd`, by the rules of `which`: files that end
 * in `.bat`, `.cmd`, `.com` or `.exe`. For anything else Node's own function gets the arguments as
 * they were passed.
 *
 * cmd.exe starts a batch file, with arguments quoted so that it cannot misread them. An argument
 * with a line end cannot be quoted, and is refused with `ERR_INVALID_ARG_VALUE`. A batch file does
 * not get `argv0`. cmd.exe fails if the whole line is longer than 8,191 characters.
 *
 * @example
 * spawn("npm", ["--version"], { stdio: "inherit" });
 */
export const spawn: typeof nodeSpawn;

/**
 * Starts a program and waits for it, as `child_process.spawnSync` does; see `spawn`.
 *
 * @example
 * const { status } = spawnSync("npm", ["--version"]);
 */
export const spawnSync: typeof nodeSpawnSync;

/**
 * Makes a path absolute as `path.resolve` does, and replaces `~` and `~user` at its beginning. A
 * relative path starts at `base`, by default the working directory. Links are not looked at.
 *
 * An unknown user or home directory is an error with the code `ERR_INVALID_ARG_VALUE`. `~user` asks
 * the system's database of users, and blocks meanwhile. On Windows every `~user` is unknown.
 *
 * @example
 * expandPath("~/.npmrc"); // "/home/me/.npmrc"
 * expandPath("../b", "/a/c"); // "/a/b"
 */
export function expandPath(path: string, base?: string): string;

/** Options of `Root.open`. */
export interface RootOptions {
  /**
   * Whether the directory is the root of all paths, as after `chroot`: `/a` and `../a` are `a` in
   * it. By default a path that would leave it is refused.
   */
  inRoot?: boolean | undefined;
  /** Whether links are refused, and names that mean another file on some system: `nul`, `a.`. */
  strict?: boolean | undefined;
}

/** Options of `root.rm`. */
export interface RootRmOptions extends TreeOptions, Abortable {
  /** Whether a directory is removed with everything in it. By default it is an error. */
  recursive?: boolean | undefined;
  /** Whether a missing path is no error. */
  force?: boolean | undefined;
}

/**
 * A directory beneath which untrusted paths are used. No path leaves it, also not while another
 * program replaces directories by links.
 *
 * The methods have the results and errors of those of `fs.promises`, with these differences:
 *
 * - A path that would leave the root, or that a strict root refuses, is an error with the code
 *   `EXDEV` and the reason in its message. A link that is not followed is one with `ELOOP`.
 * - `EAGAIN` says that other programs renamed directories so often that `..` could not be checked.
 * - Once the root is closed, methods fail with `ERR_DIR_CLOSED`.
 * - The paths of errors are as they were passed, on Windows, too.
 * - In a directory that the user may not search, `name/` is an error with the code `EACCES`.
 * - `open` and `rm` behave differently, and `readdir` and `mkdir` take fewer options; see there.
 *
 * A file whose name is checked against a list, such as `.htpasswd`, may have other names: links, on
 * Windows also short ones. A strict root refuses them.
 *
 * On Linux most methods cost one call for a name in the root, and three for a path of any depth;
 * before Linux 5.6 about two for each name in the path.
 *
 * @example
 * const root = await Root.open("public", { strict: true });
 * console.log(await root.readdir("."));
 * console.log(await root.open("../secret").catch((error) => error.code)); // EXDEV
 * root.close();
 */
export class Root {
  private constructor();

  /** Opens a directory. Its path is the caller's own, and links in it are followed. */
  static open(path: PathLike, options?: RootOptions): Promise<Root>;

  /**
   * Opens a file, and returns its descriptor, a number, which the caller closes. Flags and mode are
   * those of `fs.open`, except `s`, `O_DIRECTORY`, `O_PATH` and `O_TMPFILE`. Windows ignores the
   * mode.
   *
   * Opens whatever has that name, including directories and devices; check with `fs.fstat`. Does
   * not block on a FIFO: fails with `ENXIO` when opened for writing without a reader.
   *
   * A worker does not close the descriptor when it exits, and `fs.close` may warn there that it
   * does not own it; `trackUnmanagedFds: false` avoids the warning.
   */
  open(path: PathLike, flags?: string | number, mode?: number): Promise<number>;

  /** Opens a directory as a root by the same rules. */
  openRoot(path: PathLike): Promise<Root>;

  /** Lists the names in a directory, in the order of the system; `.` is the root. No options. */
  readdir(path: PathLike): Promise<string[]>;

  /** Returns the metadata of a file. Links are followed, within the root. */
  stat(path: PathLike): Promise<Stats>;

  /** Returns the metadata of a file, or of a link itself. */
  lstat(path: PathLike): Promise<Stats>;

  /** Returns the target of a link, which may be anywhere. */
  readlink(path: PathLike): Promise<string>;

  /**
   * Creates a directory, with the mode, 0o777 by default, as far as the umask leaves it; Windows
   * ignores it. With `recursive`, also those on the way, and an existing directory is no error;
   * returns the path of the first one that was made, also on Windows as it was passed, where Node's
   * is absolute.
   */
  mkdir(
    path: PathLike,
    options?: { recursive?: boolean | undefined; mode?: number | undefined },
  ): Promise<string | undefined>;

  /** Renames, and replaces what has the new name. Both are beneath the root. */
  rename(oldPath: PathLike, newPath: PathLike): Promise<void>;

  /**
   * Creates a link. The target is stored as it is. No method of a root follows it out of the root,
   * but other programs do. On Windows it fails with `ENOTSUP`.
   */
  symlink(target: PathLike, path: PathLike): Promise<void>;

  /** Gives a file, or a link itself, a second name. Both are beneath the root. */
  link(existingPath: PathLike, newPath: PathLike): Promise<void>;

  /** Removes a file, or a link itself. */
  unlink(path: PathLike): Promise<void>;

  /** Removes an empty directory. */
  rmdir(path: PathLike): Promise<void>;

  /**
   * Removes a file or a tree. The first failure ends it, and there are no retries. With `recursive`,
   * a path that ends in `.` or `..` is `EINVAL`; `link/` is `ENOTDIR`.
   */
  rm(path: PathLike, options?: RootRmOptions): Promise<void>;

  /** Closes the directory. What was opened beneath it stays open; operations in progress finish. */
  close(): void;

  /** Closes the directory at the end of a block, where Node has this symbol. */
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}
