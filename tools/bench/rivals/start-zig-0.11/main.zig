//! Starts programs by std.ChildProcess: SHAPE COUNT FOLDER.
const std = @import("std");

pub fn main() !void {
    var arena = std.heap.ArenaAllocator.init(std.heap.page_allocator);
    const allocator = arena.allocator();
    const args = try std.process.argsAlloc(allocator);
    if (args.len != 4) std.process.exit(2);
    const shape = args[1];
    const count = try std.fmt.parseInt(u32, args[2], 10);
    const places = try directories(allocator, args[3]);
    const out = std.io.getStdOut().writer();
    if (places.len < 197) return out.print("0\n", .{});
    const near = std.mem.eql(u8, shape, "near");
    const entries = if (near) places[196..197] else places;
    const path = try std.mem.concat(allocator, u8, &.{ "PATH=", try std.mem.join(allocator, ":", entries) });
    for (std.os.environ) |*entry| {
        if (std.mem.startsWith(u8, std.mem.span(entry.*), "PATH=")) entry.* = try allocator.dupeZ(u8, path);
    }
    if (std.mem.eql(u8, shape, "large")) {
        const resident = try allocator.alloc(u8, 1 << 30);
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
    var done: u32 = 0;
    while (done < count) : (done += 1) {
        if (start(program)) |is_well| {
            if (is_well and !nowhere) well += 1;
        } else |err| {
            if (err == error.FileNotFound and nowhere) well += 1;
        }
    }
    try out.print("{d}\n", .{well});
}

fn start(program: []const u8) !bool {
    // As a program would that starts many: nothing is kept of one start.
    var room: [4096]u8 = undefined;
    var fixed = std.heap.FixedBufferAllocator.init(&room);
    var child = std.ChildProcess.init(&.{program}, fixed.allocator());
    const term = try child.spawnAndWait();
    return term == .Exited and term.Exited == 0;
}

fn directories(allocator: std.mem.Allocator, folder: []const u8) ![][]const u8 {
    var names = std.ArrayList([]const u8).init(allocator);
    var dir = try std.fs.cwd().openIterableDir(folder, .{});
    var entries = dir.iterate();
    while (try entries.next()) |entry| {
        if (entry.kind == .directory) {
            try names.append(try std.mem.concat(allocator, u8, &.{ folder, "/", entry.name }));
        }
    }
    std.mem.sort([]const u8, names.items, {}, isLess);
    return names.items;
}

fn isLess(_: void, one: []const u8, other: []const u8) bool {
    return std.mem.lessThan(u8, one, other);
}
