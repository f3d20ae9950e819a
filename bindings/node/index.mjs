import curt from "./index.js";

export default curt;
export const { expandPath, promises, readdir, readdirSync, rm, rmSync } = curt;
export const { statMany, usage, walk } = curt;
