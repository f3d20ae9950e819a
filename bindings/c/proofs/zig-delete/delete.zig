//! The report's program: removes a tree with Zig's standard library. For Zig 0.9 to 0.13.
//! usage: PROGRAM TREE, or PROGRAM TREE min-stack
const std = @import("std");

pub fn main() !void {
    const args = try std.process.argsAlloc(std.heap.page_allocator);
    const cwd = std.fs.cwd();
    if (args.len == 2) return cwd.deleteTree(args[1]);
    // The function is missing before Zig 0.11.
    if (@hasDecl(std.fs.Dir, "deleteTreeMinStackSize")) {
        return cwd.deleteTreeMinStackSize(args[1]);
    }
    return error.NoSuchFunction;
}
