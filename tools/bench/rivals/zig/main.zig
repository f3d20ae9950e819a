//! Removes a tree (rm), or reads a directory (ls, long) or a tree (walk, sizes), with std.Io.Dir of
//! the newest Zig and the default Io. There is no du, because Stat lacks the allocated size.
const std = @import("std");
const Dir = std.Io.Dir;

const Task = enum { rm, ls, long, walk, sizes };

pub fn main(init: std.process.Init) !void {
    const args = try init.minimal.args.toSlice(init.arena.allocator());
    const task = if (args.len == 3) std.meta.stringToEnum(Task, args[1]) else null;
    if (task == null) {
        std.debug.print("usage: rival-zig rm|ls|long|walk|sizes TREE\n", .{});
        std.process.exit(2);
    }
    read(init, task.?, args[2]) catch |err| {
        std.debug.print("rival-zig: {s}\n", .{@errorName(err)});
        std.process.exit(1);
    };
}

fn read(init: std.process.Init, task: Task, tree: []const u8) !void {
    const io = init.io;
    if (task == .rm) return Dir.cwd().deleteTree(io, tree);
    var buffer: [64 * 1024]u8 = undefined;
    var file = std.Io.File.stdout().writerStreaming(io, &buffer);
    const out = &file.interface;
    const dir = try Dir.cwd().openDir(io, tree, .{ .iterate = true });
    switch (task) {
        .rm => unreachable,
        .ls, .long => try list(io, dir, task == .long, out),
        .walk, .sizes => {
            if (task == .sizes) {
                const own = try Dir.cwd().statFile(io, tree, .{ .follow_symlinks = false });
                try out.print("{d} ", .{own.size});
            }
            try out.print("{s}\n", .{tree});
            try walk(init, dir, tree, task == .sizes, out);
        },
    }
    try out.flush();
}

fn list(io: std.Io, dir: Dir, is_long: bool, out: *std.Io.Writer) !void {
    var entries = dir.iterate();
    while (try entries.next(io)) |entry| {
        if (is_long) {
            const own = try dir.statFile(io, entry.name, .{ .follow_symlinks = false });
            try out.print("{d} ", .{own.size});
        }
        try out.writeAll(entry.name);
        if (is_long and entry.kind == .sym_link) {
            var room: [4096]u8 = undefined;
            const length = try dir.readLink(io, entry.name, &room);
            try out.print(" -> {s}", .{room[0..length]});
        }
        try out.writeByte('\n');
    }
}

fn walk(init: std.process.Init, dir: Dir, tree: []const u8, asks: bool, out: *std.Io.Writer) !void {
    var entries = try dir.walk(init.gpa);
    defer entries.deinit();
    while (try entries.next(init.io)) |entry| {
        if (asks) {
            const own = try entry.dir.statFile(init.io, entry.basename, .{ .follow_symlinks = false });
            try out.print("{d} ", .{own.size});
        }
        try out.writeAll(tree);
        try out.writeByte('/');
        try out.writeAll(entry.path);
        try out.writeByte('\n');
    }
}
