//! Removes one tree with std.fs.Dir.deleteTree as it is since pull request 13073.
const std = @import("std");

pub fn main() !void {
    var arena = std.heap.ArenaAllocator.init(std.heap.page_allocator);
    const args = try std.process.argsAlloc(arena.allocator());
    if (args.len != 2) {
        std.debug.print("usage: rm-zig TREE\n", .{});
        std.process.exit(2);
    }
    std.fs.cwd().deleteTree(args[1]) catch |err| {
        std.debug.print("rm-zig: {s}\n", .{@errorName(err)});
        std.process.exit(1);
    };
}
