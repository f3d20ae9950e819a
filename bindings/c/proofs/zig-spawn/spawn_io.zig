//! The report's program for newer versions of Zig. usage: PROGRAM NAME STARTS
const std = @import("std");

pub fn main(init: std.process.Init) !u8 {
    const args = try init.minimal.args.toSlice(init.arena.allocator());
    var left = try std.fmt.parseInt(u32, args[2], 10);
    while (left > 1) : (left -= 1) _ = start(init.io, args[1]) catch 0;
    const code = start(init.io, args[1]) catch |err| {
        std.debug.print("{s}\n", .{@errorName(err)});
        return 1;
    };
    std.debug.print("{d}\n", .{code});
    return 0;
}

fn start(io: std.Io, name: []const u8) !u32 {
    var child = try std.process.spawn(io, .{ .argv = &.{name} });
    return (try child.wait(io)).exited;
}
