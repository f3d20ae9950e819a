# Prints the tables, and fails if a count is wrong.

function beyond(program, name) { # calls for the files, minus those for an empty folder
    return calls[program, files, name] - calls[program, 0, name]
}

function sum(program, pattern,   name, total) {
    for (name in names)
        if (name ~ pattern)
            total += beyond(program, name)
    return total + 0
}

# Prints a row. Arguments: title, program, expected calls and opens per file, and the maximum of
# other calls: those for the listing and, on Linux, for looking up user names once.
function row(what, program, each, opens, more,   all, opened, whole) {
    all = sum(program, ".")
    opened = sum(program, "^(NtOpenFile|NtCreateFile|open|openat|openat2)$")
    whole = int(all / files)
    printf "| %-45s | %7d | %13d | %6d |\n", what, all, whole, int(opened / files)
    if (lines[program] != files)
        wrong(program " listed " lines[program] + 0 " files")
    if (whole != each || all - whole * files > more)
        wrong(program ": " all " calls, not " each " for each file")
    if (int(opened / files) != opens || opened - opens * files > more)
        wrong(program ": " opened " opens, not " opens " for each file")
}

function sizes(program) {
    if (bytes[program] != 9 * files / 2)
        wrong(program ": " bytes[program] " bytes")
}

function dashes(count,   text) {
    while (count-- > 0)
        text = text "-"
    return text
}

function wrong(what) {
    print "WRONG: " what > "/dev/stderr"
    failed = 1
}

$1 == "calls" && $4 != "NtWriteFile" { calls[$2, $3, $4] = $5; names[$4] = 1 }
$1 == "lists" { lines[$2] = $3; bytes[$2] = $4 }

END {
    print "The report: `ls` of 3,580 files, ms"
    print ""
    print "| Cygwin      | 1.7.5 | 1.7.7 |"
    print "|-------------|-------|-------|"
    print "| as released |   530 | 3,949 |"
    print "| patched     |   123 | 3,575 |"
    print "| cmd /c dir  |   113 |       |"
    print ""
    print "Today, under Wine: native calls for " files " files, and how often each is opened"
    print ""
    header = sprintf("| %-45s | %7s | %13s | %6s |", "", "calls", "for each file", "opened")
    header = header "\n|" dashes(47) "|" dashes(9) "|" dashes(15) "|" dashes(8) "|"
    print header
    row("stat as in Cygwin 1.7.5, by the report", "then", 20, 5, 60)
    row("lstat as in Cygwin today", "today", 5, 1, 60)
    row("CreateFileW, GetFileInformationByHandle", "handle", 4, 1, 60)
    row("the same, and owners", "owner", 5, 1, 60)
    row("GetFileAttributesExW of each name", "name", 1, 0, 60)
    row("FindNextFileW alone, as `dir`", "listing", 0, 0, 60)
    row("curt: names", "ls", 0, 0, 8)
    row("curt: kind, size, times", "ls-l", 0, 0, 8)
    row("curt: the same, and numbers of files (inodes)", "ls-li", 0, 0, 8)
    row("curt: the same, and numbers of links", "ls-ln", 3, 1, 8)
    row("curt: the same, and owners", "ls-lu", 3, 1, 8)
    row("curt: the same, links and owners", "ls-lnu", 6, 2, 8)
    print ""
    print "Today, under Wine: native calls for `stat` of " files " single names"
    print ""
    print header
    row("os.stat in CPython 3.11", "cpython", 5, 1, 60)
    row("uv_fs_stat in libuv, by handle", "libuv", 5, 1, 60)
    row("curt_stat: kind, size, times", "curt", 3, 1, 60)
    row("curt_stat: all fields of uv_stat_t", "curt-all", 4, 1, 60)
    print ""
    print "Today, on Linux: system calls for " files " files, without those for output and memory"
    print ""
    print header
    row("GNU ls -1U", "gnu-ls", 0, 0, 60)
    row("curt: names", "curt-ls", 0, 0, 4)
    # GNU ls makes 3 calls per file in version 9.1, 2 in newer ones.
    row("GNU ls -lU", "gnu-ls-l", int(sum("gnu-ls-l", ".") / files), 0, 60)
    row("curt: all columns of ls -l", "curt-ls-l", 1, 0, 60)
    split("then today handle owner name listing ls-l ls-li ls-ln ls-lu ls-lnu cpython libuv curt " \
        "curt-all gnu-ls-l curt-ls-l", all, " ")
    for (i in all)
        sizes(all[i])
    exit failed
}
