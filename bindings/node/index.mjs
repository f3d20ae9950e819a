import curt from "./index.js";

export default curt;
export const { Root, cp, cpSync, expandPath, opendir, opendirSync, promises } = curt;
export const { readdir, readdirSync, rm, rmSync, spawn, spawnSync, statMany, usage, walk, which, whichSync } = curt;
