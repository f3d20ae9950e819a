import curt from "./index.js";

export default curt;
export const { Root, expandPath, opendir, opendirSync, promises, readdir, readdirSync } = curt;
export const { rm, rmSync, spawn, spawnSync, statMany, usage, walk, which, whichSync } = curt;
