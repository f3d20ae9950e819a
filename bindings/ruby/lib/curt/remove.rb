# frozen_string_literal: true

module Curt
  # Removes files, links, and directories with everything in them, as FileUtils.rm_r does. +list+ is
  # a path or an Array of paths. Returns the paths as an Array, or +nil+ with +noop+.
  #
  #   Curt.rm_r("project/build")            # => ["project/build"]
  #   Curt.rm_r(["project/src", "project/README"], noop: true, verbose: true)  # => nil
  #
  # - +force+: failures of the file system, also missing paths, are ignored.
  # - +noop+: nothing is removed.
  # - +verbose+: prints the command to $stdout.
  # - +secure+: is accepted; it is always safe against links that are swapped in.
  # - +threads+: the most threads that work, from 1 to 1024; by default as many as pay.
  #
  # Links are removed and never followed. It goes on after a failure, where FileUtils stops, and
  # raises the first one at the end. So an entry that may not be removed is Errno::EACCES, where
  # FileUtils may raise Errno::ENOTEMPTY for the directory that it is in.
  #
  # It refuses, and does not empty, what FileUtils empties before it fails: paths that end in +.+ or
  # +..+ (Errno::EINVAL), the root directory and mount points below a path (Errno::EBUSY), and links
  # with a slash at their end (Errno::ENOTDIR). With +force+, that is silent: <tt>rm_rf("a/.")</tt>
  # and <tt>rm_rf("link/")</tt> remove nothing.
  #
  # Other threads of Ruby run meanwhile. An exception from another thread or from a handler of a
  # signal stops it, also with +force+, and leaves what is not removed yet.
  #
  # Costs on Linux one call for each entry that is not a directory, and 5 for each directory.
  def self.rm_r(list, force: nil, noop: nil, verbose: nil, secure: nil, threads: nil)
    list = [list].flatten.map { |path| File.path(path) }
    $stdout.puts "rm -r#{"f" if force} #{list.join(" ")}" if verbose
    return if noop

    remove_trees(list, force, threads)
    list
  end

  # The same as rm_r with <tt>force: true</tt>.
  #
  #   Curt.rm_rf("build")
  def self.rm_rf(list, noop: nil, verbose: nil, secure: nil, threads: nil)
    rm_r(list, force: true, noop: noop, verbose: verbose, secure: secure, threads: threads)
  end
end
