//! The report's program: starts a command by name, repeatedly, with Zig's standard library.
//! For Zig 0.9 to 0.11. usage: PROGRAM NAME STARTS
const std = @import("std");

pub fn main() !u8 {
    const args = try std.process.argsAlloc(std.heap.page_allocator);
    var left = try std.fmt.parseInt(u32, args[2], 10);
    while (left > 1) : (left -= 1) _ = start(args[1]) catch 0;
    const code = start(args[1]) catch |err| {
        std.debug.print("{s}\n", .{@errorName(err)});
        return 1;
    };
    std.debug.print("{d}\n", .{code});
    return 0;
}

fn start(name: []const u8) !u32 {
    const argv = [_][]const u8{name};
    const made = std.ChildProcess.init(&argv, std.heap.page_allocator);
    // Before Zig 0.10, `init` returns a pointer or an error.
    var child = if (@typeInfo(@TypeOf(made)) == .ErrorUnion) try made else made;
    return (try child.spawnAndWait()).Exited;
}
