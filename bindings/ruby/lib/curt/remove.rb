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
end
