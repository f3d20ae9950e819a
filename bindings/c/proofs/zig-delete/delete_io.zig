//! The report's program for newer versions of Zig: removes a tree with the standard library.
//! usage: PROGRAM TREE, or PROGRAM TREE min-stack
const std = @import("std");

pub fn main(init: std.process.Init) !void {
    const args = try init.minimal.args.toSlice(init.arena.allocator());
    const cwd = std.Io.Dir.cwd();
    if (args.len == 2) return cwd.deleteTree(init.io, args[1]);
    return cwd.deleteTreeMinStackSize(init.io, args[1]);
}
