import curt from "./index.js";

export default curt;
export const { rm, rmSync, expandPath, statMany, usage, walk, promises } = curt;
export const { spawn, spawnSync, which, whichSync } = curt;
