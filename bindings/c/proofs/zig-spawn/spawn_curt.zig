//! The report's program with libcurt's search, which finds candidates under Zig's rules.
//! CreateProcessW is called only for candidates. For Zig 0.11; `curt_h.zig` imports the header.
//! usage: PROGRAM NAME STARTS
const std = @import("std");
const c = @import("curt_h.zig").c;
const windows = std.os.windows;

pub fn main() !u8 {
    const args = try std.process.argsAlloc(std.heap.page_allocator);
    var buffer: [1024]u16 = undefined;
    const name = buffer[0..try std.unicode.utf8ToUtf16Le(&buffer, args[1])];
    // The search remains open: it caches the entries of PATH, but not the contents of directories.
    var options = std.mem.zeroes(c.curt_search_options);
    options.size = @sizeOf(c.curt_search_options);
    options.policy = c.CURT_POLICY_ZIG;
    options.flags = c.CURT_SEARCH_ENVIRONMENT;
    var search: ?*c.curt_search = null;
    if (c.curt_search_open(&options, &search, null) != 0) return error.SearchNotOpened;
    defer c.curt_search_close(search);
    var left = try std.fmt.parseInt(u32, args[2], 10);
    while (left > 1) : (left -= 1) _ = start(search, name) catch 0;
    const code = start(search, name) catch |err| {
        std.debug.print("{s}\n", .{@errorName(err)});
        return 1;
    };
    std.debug.print("{d}\n", .{code});
    return 0;
}

/// One start: the quoted, NUL-terminated name, and the process or the last failure.
const Start = struct {
    command_line: [:0]u16,
    process: ?windows.HANDLE = null,
    failure: anyerror = error.FileNotFound,
};

fn start(search: ?*c.curt_search, name: []const u16) !u32 {
    var buffer: [1027]u16 = undefined;
    buffer[0] = '"';
    @memcpy(buffer[1 .. 1 + name.len], name);
    buffer[1 + name.len] = '"';
    buffer[2 + name.len] = 0;
    var this = Start{ .command_line = buffer[0 .. 2 + name.len :0] };
    const text = c.curt_str{ .ptr = name.ptr, .len = name.len };
    _ = c.curt_search_all(search, text, tryCandidate, &this, null);
    const process = this.process orelse return this.failure;
    defer windows.CloseHandle(process);
    try windows.WaitForSingleObjectEx(process, windows.INFINITE, false);
    var code: u32 = undefined;
    if (windows.kernel32.GetExitCodeProcess(process, &code) == 0) return error.NoExitCode;
    return code;
}

/// Starts a candidate. A result other than 0 ends the search.
fn tryCandidate(
    context: ?*anyopaque,
    path: c.curt_str,
    _: [*c]const c.curt_found,
) callconv(.C) c_int {
    const this: *Start = @ptrCast(@alignCast(context));
    startCandidate(this, path) catch |err| {
        switch (err) {
            error.FileNotFound, error.AccessDenied => return 0,
            // As in cmd.exe, a corrupt .exe file ends the search.
            error.InvalidExe => {
                const extension = path.ptr[path.len - 4 .. path.len];
                const exe = std.unicode.utf8ToUtf16LeStringLiteral(".EXE");
                if (!windows.eqlIgnoreCaseWTF16(extension, exe)) return 0;
            },
            else => {},
        }
        this.failure = err;
    };
    return 1;
}

/// Starts a candidate with the same call as Zig's standard library.
fn startCandidate(this: *Start, path: c.curt_str) !void {
    var startup = std.mem.zeroes(windows.STARTUPINFOW);
    startup.cb = @sizeOf(windows.STARTUPINFOW);
    var made: windows.PROCESS_INFORMATION = undefined;
    try windows.CreateProcessW(
        // A NUL follows the path.
        @ptrCast(@constCast(path.ptr)),
        this.command_line.ptr,
        null,
        null,
        windows.TRUE,
        windows.CREATE_UNICODE_ENVIRONMENT,
        null,
        null,
        &startup,
        &made,
    );
    windows.CloseHandle(made.hThread);
    this.process = made.hProcess;
}
