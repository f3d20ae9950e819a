import curt from "./index.js";

export default curt;
export const { Root, cp, cpSync, expandPath, opendir, opendirSync, paths, pathsSync } = curt;
export const { promises, readdir, readdirSync, rm, rmSync, spawn, spawnSync } = curt;
export const { statMany, usage, walk, walkPaths, which, whichSync } = curt;
