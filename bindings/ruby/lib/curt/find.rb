# frozen_string_literal: true

module Curt
  # call-seq:
  #   find(*paths, ignore_error: true) { |path| ... } -> nil
  #   find(*paths, ignore_error: true) -> enumerator
  #
  # Yields each of +paths+ and the paths of all entries below it, in the order of Find.find: parents
  # first, names sorted. Symlinks are not followed.
  #
  # <tt>throw :prune</tt> in the block (or Find.prune, after <tt>require "find"</tt>) skips
  # everything below the path just yielded. A directory is opened only when the enumeration reaches
  # it. If one of +paths+ is missing, Errno::ENOENT is raised before the first yield.
  #
  # Without a block, returns an Enumerator, which reads at most one directory ahead.
  #
  # Skips unreadable directories. With <tt>ignore_error: false</tt> they raise, after their path was
  # yielded.
  #
  # Opens each directory relative to its parent, so a tree may be deeper than the longest path. A
  # symlink that replaces a directory meanwhile is not followed, and never raises. Unlike Find.find,
  # does not enter a directory that the block creates in place of a file.
  #
  # Takes 4 system calls for a directory of up to about 2,000 entries, without the GVL, and 1 per
  # entry with <tt>ignore_error: false</tt>. An interrupt waits until the current directory is read,
  # about 0.4 seconds for a million entries.
  #
  #   Curt.find("/etc") do |path|
  #     throw :prune if path == "/etc/ssl"
  #   end
  #   Curt.find("/usr/bin").first # => "/usr/bin"
  def self.find(*paths, ignore_error: true, &block)
    return enum_for(:find, *paths, ignore_error: ignore_error) unless block_given?

    paths.map! do |path|
      path = File.path(path)
      raise Errno::ENOENT, path unless File.exist?(path)

      path
    end
    paths.each do |path|
      catch(:prune) do
        yield path.dup
        find_below(path, ignore_error, &block)
      end
    end
    nil
  end
end
