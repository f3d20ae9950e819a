# frozen_string_literal: true

module Curt
  # Removes files, symlinks, and directories with their contents, like FileUtils.rm_r. +list+ is a
  # path or an Array of paths. Returns the paths as an Array, or +nil+ with +noop+.
  #
  #   Curt.rm_r("project/build")            # => ["project/build"]
  #   Curt.rm_r(["project/src", "project/README"], noop: true, verbose: true)  # => nil
  #
  # - +force+: ignores failures of the filesystem, including missing paths.
  # - +noop+: removes nothing.
  # - +verbose+: prints the command to $stdout.
  # - +secure+: has no effect: removal is always safe against swapped symlinks.
  # - +threads+: the most threads to use, from 1 to 1024; by default as many as help.
  #
  # Never follows symlinks. Unlike FileUtils, continues after a failure and raises the first failure
  # at the end: Errno::EACCES for an entry, where FileUtils may raise Errno::ENOTEMPTY for its
  # directory.
  #
  # Refuses some paths that FileUtils empties before it fails: those that end in +.+ or +..+
  # (Errno::EINVAL), the root directory and mount points below a path (Errno::EBUSY), and symlinks
  # with a trailing slash (Errno::ENOTDIR). +force+ hides the refusal: <tt>rm_rf("a/.")</tt> and
  # <tt>rm_rf("link/")</tt> remove nothing.
  #
  # Releases the GVL. An exception from another thread or a signal handler stops the removal, even
  # with +force+.
  #
  # Costs on Linux one system call per entry that is not a directory, and 5 per directory.
  def self.rm_r(list, force: nil, noop: nil, verbose: nil, secure: nil, threads: nil)
    list = [list].flatten.map { |path| File.path(path) }
    $stdout.puts "rm -r#{"f" if force} #{list.join(" ")}" if verbose
    return if noop

    remove_trees(list, force, threads)
    list
  end

  # Calls rm_r with <tt>force: true</tt>.
  #
  #   Curt.rm_rf("build")
  def self.rm_rf(list, noop: nil, verbose: nil, secure: nil, threads: nil)
    rm_r(list, force: true, noop: noop, verbose: verbose, secure: secure, threads: threads)
  end

  Removal = Struct.new(:files, :directories, :skipped, :made_writable, :errors) # :nodoc:

  # What a removal has done, as returned by Curt.remove:
  #
  # - +directories+, +files+: the numbers of removed directories and of other removed entries.
  # - +skipped+: the number of excluded entries, without those inside excluded directories.
  # - +made_writable+: how often a directory got permissions.
  # - +errors+: an Array with an exception for each failure.
  class Removal < Struct
  end

  # Removes +list+, a path or an Array of paths, like rm_r, and returns a frozen Curt::Removal:
  # failures of the filesystem are in its +errors+ and do not raise.
  #
  #   Curt.remove("project", contents: true, exclude: "*.rb").skipped  # => 1
  #   Curt.remove(["project/src", "project/bin"], force: true).errors  # => []
  #
  # - +contents+: empties directories without removing them, and refuses anything else.
  # - +exclude+: a glob or an Array of globs of entries to keep, with their parents. A glob without
  #   a slash matches names at any depth, one with a slash the path below one of +list+, and one
  #   that ends with a slash only directories. An invalid glob raises ArgumentError.
  # - +make_writable+: gives the user's own directories the permissions that their removal needs.
  #   Those that remain get back theirs, unless the process is killed.
  # - +force+: ignores missing paths.
  # - +retries+: how often, within a second, a directory is emptied again while other processes add
  #   entries; by default 100.
  # - +threads+: as for rm_r.
  #
  # A block gets the numbers of removed files and directories, about every 10 ms and at the end.
  #
  # Refuses the same paths as rm_r, and is stopped by the same exceptions and by those of the block.
  # Starts a thread for the removal.
  def self.remove(list, contents: false, exclude: [], make_writable: false, force: false,
                  retries: nil, threads: nil, &block)
    list = [list].flatten.map { |path| File.path(path) }
    Removal.new(*remove_reported(list, contents, [exclude].flatten, make_writable, force, retries,
                                 threads, &block)).freeze
  end
end
