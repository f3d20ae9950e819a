import curt from "./index.js";

export default curt;
export const { Root, expandPath, promises, readdir, readdirSync, rm, rmSync } = curt;
export const { spawn, spawnSync, statMany, usage, walk, which, whichSync } = curt;
