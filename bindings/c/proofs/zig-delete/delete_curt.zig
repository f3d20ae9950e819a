//! The report's program with libcurt instead of Zig's standard library. For Zig 0.9 and newer;
//! `curt_h.zig` imports the header as each version requires.
//! usage: PROGRAM TREE, or PROGRAM TREE automatic
const std = @import("std");
const builtin = @import("builtin");
const c = @import("curt_h.zig").c;

pub export fn main(argc: c_int, argv: [*]const [*:0]const u8) c_int {
    const threads: u32 = if (argc > 2) c.CURT_THREADS_AUTOMATIC else 1;
    deleteTree(std.mem.span(argv[1]), threads) catch return 1;
    return 0;
}

/// Removes a tree. Like Zig's `deleteTree`, accepts a missing path.
fn deleteTree(path: []const u8, threads: u32) !void {
    var options = std.mem.zeroes(c.curt_remove_options);
    options.size = @sizeOf(c.curt_remove_options);
    options.flags = c.CURT_REMOVE_MISSING_OK;
    var control = std.mem.zeroes(c.curt_control);
    control.size = @sizeOf(c.curt_control);
    control.threads = threads;
    var failure: ?*c.curt_error = null;
    var buffer: [4096]c.curt_char = undefined;
    const text = try native(path, &buffer);
    if (c.curt_remove(c.CURT_CWD, text, &options, &control, null, &failure) >= 0) return;
    var info = std.mem.zeroes(c.curt_error_info);
    info.size = @sizeOf(c.curt_error_info);
    if (c.curt_error_get(failure, &info) == 0) {
        std.debug.print("{s}\n", .{info.text[0..info.text_len]});
    }
    c.curt_error_free(failure);
    return error.NotRemoved;
}

/// Returns the path in the system's encoding, UTF-16 on Windows.
fn native(path: []const u8, buffer: []c.curt_char) !c.curt_str {
    if (builtin.os.tag == .windows) {
        return c.curt_str{ .ptr = buffer.ptr, .len = try std.unicode.utf8ToUtf16Le(buffer, path) };
    }
    return c.curt_str{ .ptr = path.ptr, .len = path.len };
}
