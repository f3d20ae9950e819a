import curt from "./index.js";

export default curt;
export const { Root, cp, cpSync, expandPath, opendir, opendirSync, paths, pathsSync } = curt;
export const { promises, readdir, readdirSync, remove, removeSync, rm, rmSync, spawn } = curt;
export const { spawnSync, statMany, usage, walk, walkPaths, which, whichSync } = curt;
