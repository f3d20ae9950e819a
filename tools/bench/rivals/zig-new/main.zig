//! Removes one tree with std.Io.Dir.deleteTree of the newest Zig, through the Io that a program
//! gets by default.
const std = @import("std");

pub fn main(init: std.process.Init) !void {
    const args = try init.minimal.args.toSlice(init.arena.allocator());
    if (args.len != 2) {
        std.debug.print("usage: rm-zig TREE\n", .{});
        std.process.exit(2);
    }
    std.Io.Dir.cwd().deleteTree(init.io, args[1]) catch |err| {
        std.debug.print("rm-zig: {s}\n", .{@errorName(err)});
        std.process.exit(1);
    };
}
