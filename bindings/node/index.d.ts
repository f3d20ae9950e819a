/// <reference types="node" />

import type { Dirent, Stats } from "node:fs";
import type * as fs from "node:fs";
import type { spawn as nodeSpawn, spawnSync as nodeSpawnSync } from "node:child_process";

type PathLike = fs.PathLike;

/** What an operation on a whole tree takes beside Node's own options. */
export interface TreeOptions {
  /**
   * At most how many threads work: 1 to 1024, or `"auto"`, which starts others where the measured
   * rate shows that they pay. They end before the operation does. By default 1, and `"auto"` for
   * what blocks the event loop anyway (`rmSync`, `readdirSync`).
   */
  threads?: number | "auto" | undefined;
}

/**
 * Ends an operation early: its promise is rejected with an `AbortError`. The end of the process
 * ends all operations of the main thread. A worker thread that is terminated waits for its own.
 */
export interface Abortable {
  signal?: AbortSignal | undefined;
}

export type RmOptions = fs.RmOptions & TreeOptions;

/**
 * Removes a file or a tree, as `fs.rm` does. All forms have the errors of `fs.promises.rm`, in all
 * versions of Node: they name the entry that failed first. What else can be removed is removed.
 *
 * Where Node would remove more than was named, or say that it has removed what it has not, curt has
 * an error: `EINVAL` for a path that ends in `..`, and `ENOTDIR` for a link with a slash behind it.
 * A mount point stays, with everything in it (`EBUSY`). `maxRetries` counts the attempts for the
 * whole tree.
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
  /** What `util.promisify` makes of it. */
  function __promisify__(path: PathLike, options?: RmOptions & Abortable): Promise<void>;
}

/** Removes a file or a tree, as `fs.rmSync` does. */
export function rmSync(path: PathLike, options?: RmOptions): void;

/** The options of `fs.readdir`, and curt's own. */
export type ReaddirOptions = {
  encoding?: BufferEncoding | "buffer" | null | undefined;
  recursive?: boolean | undefined;
  withFileTypes?: boolean | undefined;
} & TreeOptions;

/** What `readdir` lists with these options: all that it may be, where a type does not say which. */
export type Listed<O extends ReaddirOptions> = O extends { withFileTypes: true }
  ? Dirent[]
  : O extends ReaddirOptions & Abortable & { withFileTypes?: false | undefined }
    ? Names<O>
    : Dirent[] | Names<O>;

type Names<O extends ReaddirOptions> = O extends { encoding: "buffer" }
  ? Buffer[]
  : O extends ReaddirOptions & Abortable & { encoding?: BufferEncoding | null | undefined }
    ? string[]
    : string[] | Buffer[];

/**
 * Lists a directory or a tree, as `fs.readdir` does. It takes a `signal`, and `threads` for a tree,
 * which every form lists in the order of `fs.readdirSync`: the entries of one depth before those of
 * the next. A link that leads back to a directory above it is listed, and not followed. Names that
 * are not UTF-8 are listed as buffers with the encoding `"buffer"`, also of a tree, for which Node's
 * own functions fail.
 */
export const readdir: typeof fs.readdir &
  (<O extends ReaddirOptions & Abortable>(
    path: PathLike,
    options: O,
    callback: (error: NodeJS.ErrnoException | null, entries: Listed<O>) => void,
  ) => void);

/** Lists a directory or a tree, as `fs.readdirSync` does. */
export const readdirSync: typeof fs.readdirSync &
  (<O extends ReaddirOptions>(path: PathLike, options: O) => Listed<O>);

/** Opens a directory or a tree to be listed, as `fs.opendir` does. */
export const opendir: typeof fs.opendir;

/** Opens a directory or a tree to be listed, as `fs.opendirSync` does. */
export const opendirSync: typeof fs.opendirSync;

/** The forms that return promises, as in `fs.promises`. */
export namespace promises {
  function rm(path: PathLike, options?: RmOptions & Abortable): Promise<void>;
  const readdir: typeof fs.promises.readdir &
    (<O extends ReaddirOptions & Abortable>(path: PathLike, options: O) => Promise<Listed<O>>);
  const opendir: typeof fs.promises.opendir;
}

/** A directory of a walk. */
export interface WalkedDirectory {
  /** The path: that of the top as it was passed, and the names below it. */
  path: string;
  /**
   * The names of subdirectories, which are walked in the order of this array, once the loop goes
   * on. What is taken out is not walked, and what was not in it is not either.
   */
  directories: string[];
  /** The names of everything else, links among them. */
  files: string[];
}

export interface WalkOptions extends Abortable {
  /** Gets the error of a directory that cannot be listed; otherwise it ends the walk. */
  onError?: ((error: NodeJS.ErrnoException) => void) | undefined;
}

/**
 * Walks a tree, a directory at a time, each before those in it. Of links only that of the top is
 * followed. A directory that becomes a link meanwhile is an error, and one that is moved is walked
 * where it is. Trees can be deeper than a path may be long. Names that are not UTF-8 are shown as
 * `fs` shows them, and such directories are walked, too.
 *
 * Leaving the loop closes what is open.
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

export interface StatManyOptions extends Abortable {
  /** Whether links are followed, as `fs.stat` does; otherwise as `fs.lstat`. By default they are. */
  followSymlinks?: boolean | undefined;
}

/**
 * Asks for the metadata of many paths, in order, on one thread of the pool. What fails has the error
 * of `fs.stat` in its place.
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

/** The space that trees take. */
export interface Usage {
  /** How many entries there are, the top among them; a file with several links counts once. */
  entries: number;
  /** The sum of the sizes of what is no directory, in bytes. */
  size: number;
  /** The space that is allocated, in bytes. */
  allocated: number;
}

/**
 * Measures a tree, as `du` does. Links are not followed. The first failure rejects the promise.
 * `allocated` is what `du` shows; `size`, unlike `du --apparent-size`, is without directories.
 *
 * @example
 * const { entries, size, allocated } = await usage("node_modules");
 */
export function usage(path: PathLike, options?: TreeOptions & Abortable): Promise<Usage>;

export interface WhichOptions {
  /** The search path in place of `process.env.PATH`. */
  path?: string | undefined;
  /** The extensions in place of `process.env.PATHEXT`; on Windows only. */
  pathExt?: string | undefined;
  /** The working directory that relative elements of the search path start at. */
  cwd?: string | undefined;
}

/**
 * Finds the program that `spawn` starts: by the rules of `execvp`, on Windows by those of cmd.exe.
 * Returns its absolute path, or `null` if there is none.
 *
 * @example
 * const git = await which("git");
 */
export function which(name: string, options?: WhichOptions): Promise<string | null>;
/** Finds the program that `spawnSync` starts, as `which` does. */
export function whichSync(name: string, options?: WhichOptions): string | null;

/**
 * Starts a program, as `child_process.spawn` does; elsewhere than on Windows it is that function.
 * There, without a shell, `npm` also finds `npm.cmd` (see `which`), which cmd.exe starts with
 * arguments that it cannot misread. An argument with a line end, which it would, is refused with
 * `ERR_INVALID_ARG_VALUE`.
 */
export const spawn: typeof nodeSpawn;
/** Runs a program to its end, as `child_process.spawnSync` does; on Windows as `spawn` here. */
export const spawnSync: typeof nodeSpawnSync;

/**
 * Makes a path absolute as `path.resolve` does, and replaces `~` and `~user` at its beginning. Links
 * are not looked at. A relative path starts at `base`, by default the working directory. An unknown
 * user or home directory is an error.
 *
 * @example
 * expandPath("~/.npmrc"); // "/home/me/.npmrc"
 * expandPath("../b", "/a/c"); // "/a/b"
 */
export function expandPath(path: string, base?: string): string;

export interface RootOptions {
  /**
   * Whether the directory is the root of all paths, as after `chroot`: `/a` and `../a` are `a` in
   * it. Otherwise what would leave it is refused.
   */
  inRoot?: boolean | undefined;
  /** Whether links are refused, and names that mean another file on some system: `nul`, `a.`. */
  strict?: boolean | undefined;
}

export interface RootRmOptions extends TreeOptions, Abortable {
  /** Whether a directory is removed with everything in it. Otherwise it is an error, `EISDIR`. */
  recursive?: boolean | undefined;
  /** Whether a path that does not exist is no error. */
  force?: boolean | undefined;
}

/**
 * A directory beneath which untrusted paths are used: no path leaves it, also not while somebody
 * replaces directories by links. What would leave it, or what a strict root refuses, is an error
 * with the code `EXDEV` and the reason in its message; a link that is not followed is one with
 * `ELOOP`. Otherwise functions have the results and errors of those of `fs.promises`; once the root
 * is closed, an error with `ERR_DIR_CLOSED`.
 *
 * A file whose name is checked against a list, such as `.htpasswd`, may have other names: links, on
 * Windows also short ones. A strict root refuses them.
 *
 * @example
 * const root = await Root.open("public", { strict: true });
 * const fd = await root.open("index.html");
 * if (fs.fstatSync(fd).isFile()) fs.createReadStream("", { fd }).pipe(response);
 * else fs.closeSync(fd);
 */
export class Root {
  private constructor();

  /** Opens a directory. Links in its path, which is the caller's own, are followed. */
  static open(path: PathLike, options?: RootOptions): Promise<Root>;

  /**
   * Opens a file, and returns its descriptor, which the caller closes. Flags and mode are those of
   * `fs.open`, without `s` and others that would do nothing. What has the name is opened, also a
   * directory or a device: `fs.fstat` says what it is. Unlike `fs.open` it waits for nobody: a FIFO
   * is open at once, or fails with `ENXIO` where nobody reads.
   *
   * A worker thread closes it neither when it ends, nor without a warning: Node knows only what its
   * own `fs.open` has opened there, unless the worker was made with `trackUnmanagedFds: false`.
   */
  open(path: PathLike, flags?: string | number, mode?: number): Promise<number>;

  /** Opens a directory as a root by the same rules. */
  openRoot(path: PathLike): Promise<Root>;

  /** Lists the names in a directory; `.` is the root. */
  readdir(path: PathLike): Promise<string[]>;

  stat(path: PathLike): Promise<Stats>;
  lstat(path: PathLike): Promise<Stats>;
  readlink(path: PathLike): Promise<string>;
  mkdir(path: PathLike, options?: { recursive?: boolean | undefined }): Promise<void>;

  /** Renames, and replaces what has the new name. Both are beneath the root. */
  rename(oldPath: PathLike, newPath: PathLike): Promise<void>;

  /**
   * Creates a link. The target is stored as it is: no function of a root follows it out of that, but
   * other programs do. On Windows it fails with `ENOTSUP`.
   */
  symlink(target: PathLike, path: PathLike): Promise<void>;

  /** Gives a file, or a link itself, a second name. Both are beneath the root. */
  link(existingPath: PathLike, newPath: PathLike): Promise<void>;

  unlink(path: PathLike): Promise<void>;
  rmdir(path: PathLike): Promise<void>;

  /** Removes a file or a tree. The first failure ends it. */
  rm(path: PathLike, options?: RootRmOptions): Promise<void>;

  /** Closes the directory. What was opened beneath it stays open, and what is under way ends. */
  close(): void;

  /** Closes it at the end of a block, where Node has this symbol. */
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}
