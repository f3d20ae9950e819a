//! Starts programs by std.process.spawn of the newest Zig, through the Io that a program gets by default:
//! SHAPE COUNT FOLDER.
const std = @import("std");

pub fn main(init: std.process.Init) !void {
    const io = init.io;
    const allocator = init.arena.allocator();
    const args = try init.minimal.args.toSlice(allocator);
    if (args.len != 4) std.process.exit(2);
    const shape = args[1];
    const count = try std.fmt.parseInt(u32, args[2], 10);
    const places = try directories(io, allocator, args[3]);
    if (places.len < 197) return say(io, 0);
    const near = std.mem.eql(u8, shape, "near");
    const entries = if (near) places[196..197] else places;
    const path = try std.mem.concat(allocator, u8, &.{ "PATH=", try std.mem.join(allocator, ":", entries) });
    // The search goes by the variables that the process was started with, which are read at the first one.
    const variables: [][*:0]const u8 = @constCast(init.minimal.environ.block.view().slice);
    for (variables) |*entry| {
        if (std.mem.startsWith(u8, std.mem.span(entry.*), "PATH=")) entry.* = try allocator.dupeSentinel(u8, path, 0);
    }
    if (std.mem.eql(u8, shape, "large")) {
        const resident = try std.heap.page_allocator.alloc(u8, 1 << 30);
        @memset(resident, 1);
        std.mem.doNotOptimizeAway(resident.ptr);
    }
    const hello = try std.mem.concat(allocator, u8, &.{ places[196], "/hello" });
    const nowhere = std.mem.eql(u8, shape, "nowhere");
    const program: []const u8 = if (std.mem.eql(u8, shape, "path") or std.mem.eql(u8, shape, "large"))
        hello
    else if (std.mem.eql(u8, shape, "linked"))
        "/bin/true"
    else if (nowhere) "curt-no-such-program" else "hello";
    var well: u32 = 0;
    for (0..count) |_| {
        if (start(io, program)) |is_well| {
            if (is_well and !nowhere) well += 1;
        } else |err| {
            if (err == error.FileNotFound and nowhere) well += 1;
        }
    }
    try say(io, well);
}

fn say(io: std.Io, well: u32) !void {
    var room: [64]u8 = undefined;
    var out = std.Io.File.stdout().writerStreaming(io, &room);
    try out.interface.print("{d}\n", .{well});
    try out.interface.flush();
}

fn start(io: std.Io, program: []const u8) !bool {
    var child = try std.process.spawn(io, .{ .argv = &.{program} });
    const term = try child.wait(io);
    return term.success();
}

fn directories(io: std.Io, allocator: std.mem.Allocator, folder: []const u8) ![][]const u8 {
    var names: std.ArrayList([]const u8) = .empty;
    var dir = try std.Io.Dir.cwd().openDir(io, folder, .{ .iterate = true });
    var entries = dir.iterate();
    while (try entries.next(io)) |entry| {
        if (entry.kind == .directory) {
            try names.append(allocator, try std.mem.concat(allocator, u8, &.{ folder, "/", entry.name }));
        }
    }
    std.mem.sort([]const u8, names.items, {}, isLess);
    return names.items;
}

fn isLess(_: void, one: []const u8, other: []const u8) bool {
    return std.mem.lessThan(u8, one, other);
}
