//! Starts a program by its name so many times, by std.ChildProcess as it was after pull request 13993:
//! COUNT NAME.
const std = @import("std");

pub fn main() !void {
    var arena = std.heap.ArenaAllocator.init(std.heap.page_allocator);
    const args = try std.process.argsAlloc(arena.allocator());
    if (args.len != 3) std.process.exit(2);
    const count = try std.fmt.parseInt(u32, args[1], 10);
    var started: u32 = 0;
    while (started < count) : (started += 1) {
        var child = std.ChildProcess.init(&[_][]const u8{args[2]}, arena.allocator());
        const term = try child.spawnAndWait();
        if (term != .Exited or term.Exited != 0) std.process.exit(1);
    }
}
