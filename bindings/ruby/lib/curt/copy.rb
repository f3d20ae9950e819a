# frozen_string_literal: true

module Curt
  # Copies files, and directories with their contents, like FileUtils.cp_r: +src+, a path or an
  # Array of paths, to +dest+, or into +dest+ if that is a directory. Returns +nil+.
  #
  #   Curt.cp_r("project/src", "project/build")  # copies to project/build/src
  #   Curt.cp_r("project/src/.", "copy", preserve: true)
  #   Curt.children("copy")                 # => ["main.rb"]
  #
  # - +preserve+: preserves permissions, owner, group and times.
  # - +noop+: copies nothing.
  # - +verbose+: prints the command to $stdout.
  # - +dereference_root+: follows symlinks that are themselves in +src+. Others are copied as they
  #   are.
  # - +remove_destination+: replaces existing files even if they are not writable.
  # - +threads+: as for rm_r.
  #
  # Never follows a symlink that is swapped in. Unlike FileUtils, which writes to existing files,
  # replaces them by complete copies: a symlink in the place of a file is itself replaced, and other
  # names of a file keep the old content. Continues after a failure and raises the first failure at
  # the end.
  #
  # Refuses to copy a directory to any place inside itself (ArgumentError), to replace a device, a
  # named pipe or a socket (Errno::EINVAL), and to copy two files to one name (Errno::EEXIST).
  # Copies devices as devices, and set-id bits only with +preserve+.
  #
  # Releases the GVL. An exception from another thread or a signal handler stops the copy.
  #
  # Costs on Linux 7 system calls per file, 2 per symlink and 8 per directory.
  def self.cp_r(src, dest, preserve: nil, noop: nil, verbose: nil, dereference_root: true,
                remove_destination: nil, threads: nil)
    if verbose
      options = "#{"p" if preserve}#{" --remove-destination" if remove_destination}"
      $stdout.puts "cp -r#{options} #{[src, dest].flatten.join(" ")}"
    end
    return if noop

    list = Array.try_convert(src)
    copy_trees([*(list || [src]), dest], list || File.directory?(dest), preserve, dereference_root,
               remove_destination, threads)
  end
end
