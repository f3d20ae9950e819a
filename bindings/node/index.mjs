import curt from "./index.js";

export default curt;
export const { rm, rmSync, promises } = curt;
