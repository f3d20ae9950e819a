//! Starts a program by its name so many times, by std.process of the newest Zig, through the Io that a
//! program gets by default: COUNT NAME.
const std = @import("std");

pub fn main(init: std.process.Init) !void {
    const args = try init.minimal.args.toSlice(init.arena.allocator());
    if (args.len != 3) std.process.exit(2);
    const count = try std.fmt.parseInt(u32, args[1], 10);
    for (0..count) |_| {
        var child = try std.process.spawn(init.io, .{ .argv = &.{args[2]} });
        const term = try child.wait(init.io);
        if (term != .exited or term.exited != 0) std.process.exit(1);
    }
}
