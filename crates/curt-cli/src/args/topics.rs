//! Topics of `curt help`: features that several commands share, one screen each.

pub(super) const LIST: &str = "\
See 'curt COMMAND --help' for more about a command.

Topics:
  curt help json     the output of --json
  curt help fields   the fields of --fields
  curt help colors   colors, and how to set them
  curt help exit     exit codes";

const TOPICS: [(&str, &str); 4] =
    [("json", JSON), ("fields", FIELDS), ("colors", COLORS), ("exit", EXIT)];

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TOPICS.iter().map(|(name, _)| *name)
}

pub(crate) fn text(name: &str) -> Option<&'static str> {
    super::meaning(&TOPICS, name)
}

const JSON: &str = "\
JSON: --json of every command but run, completions and man prints one object
per line. Each object on standard output has a 'path' and:
  find ls stat       the fields of --fields; ls --tree and find: depth
  du                 depth, apparent, allocated, entries; with --time newest;
                     --by-type: type instead of path and depth
  rm -v, --dry-run   kind, removed; with --trash: trashed, to
  cp -v, --dry-run   from and to instead of path, copied
  which              name, origin, kind, relative; interpreter of a script
  realpath readlink  name, or target
  expand, beneath    full and rules, or allow: the path relative to the root

On standard error: {\"error\":{...}} ('curt which' adds the name), and after an
interrupt or with --stats {\"summary\":{...}}: totals and calls. An error has:
    operation        the failed operation, such as open_directory
    path             the path, or null
    kind             one word, such as not-found or permission-denied
    errno            the system's number, or null
    message          the reason in words
Text that is not Unicode is {\"bytes\":BASE64}, on Windows {\"utf16\":[UNIT,...]}.
mode is decimal: 33188 is 0100644. A time is {\"s\":SECONDS,\"ns\":NANOSECONDS}.
A field is null if the system lacks it, {\"error\":{...}} if it is unreadable.

  curt find --json --fields size | jq -r 'select(.size > 1e6) | .path'
  curt stat --json * | jq -r '\"\\(.modified.s | todate) \\(.path)\"'
";

const FIELDS: &str = "\
Fields: --fields of ls, stat and find accepts these names, separated by commas.

  name                    the last component
  path, parent, depth     only in find: the path, its directory, its depth
  kind                    file, directory, symlink and others
  size, allocated         bytes of content; bytes on disk
  mode, attributes        permissions; flags of the filesystem
  user, group, uid, gid   owners, by name and by number
  links                   the number of hard links
  id, device              the two numbers that identify a file
  rdev                    the number of a device file
  block-size              the preferred size of reads
  modified, accessed      times of the last change of content; the last read
  changed, created        times of the last change of any kind; of birth
  target                  the target of a symbolic link
  readable, writable, executable
                          permissions of the current user
  acl, capability, label  access rules, capabilities, security label

On Linux, names, kinds and id cost no system call, and most others one per
entry. target, readable, writable, executable, acl, capability and label cost
one or more each.
";

const COLORS: &str = "\
Colors: find, du and ls can color their output on a terminal. Files and pipes
get colors only with --color=always of find and ls, and JSON has none.

  curt find  colors paths on a terminal; --color=never disables that, and
             --color=always colors everywhere
  curt du    colors directories and bars of trees and types; has no --color
  curt ls    colors names only with --color, as GNU ls: --color=auto on a
             terminal, --color=always everywhere. For a default, use an alias:
             alias ls='curt ls --color=auto'
  help       has colors on a terminal

  LS_COLORS  the colors of find and ls, as printed by dircolors, such as
             'di=01;34:ln=01;36:*.tar=01;31'
  NO_COLOR   if it is set and not empty, disables colors, except with
             --color=always
  TERM=dumb  the same

Control characters of names never reach a terminal: names are quoted or masked,
and messages show them as escapes (\\n, \\033).
";

const EXIT: &str = "\
Exit codes:

  0    everything was done
  1    something was not found or failed; each failure was reported
  2    the command line was wrong, and nothing was done (1, as for GNU, from
       realpath and readlink, and from rm, cp, du and stat of that name);
       ls also: an operand could not be listed, or output not be written

curt run ends as the program does, by the same signal if one ended it, or with

  124  the time limit was reached
  125  curt itself failed
  126  the program exists but cannot be executed
  127  the program was not found
  137  the time limit was reached, and the program was killed (-k, -s KILL)

After an interrupt (Ctrl-C), the totals so far are printed and the signal is
raised again, so a shell sees 130. A closed pipe ends curt by SIGPIPE; other
failures of output are reported.
";
