# frozen_string_literal: true

module Curt
  # call-seq:
  #   find(*paths, ignore_error: true) { |path| ... } -> nil
  #   find(*paths, ignore_error: true) -> enumerator
  #
  # Yields each of +paths+ and the paths of all entries below it, in the order of Find.find: a
  # directory before what it contains, the names in it sorted. Links are not followed.
  #
  # <tt>throw :prune</tt> (or Find.prune) in the block leaves out everything below the path that was
  # yielded last. Nothing is opened before the enumeration reaches it, and it can be left at any
  # time. A path of +paths+ that does not exist raises Errno::ENOENT before the first is yielded.
  #
  # Without a block, returns an Enumerator, which reads no further ahead than one directory.
  #
  # Directories that cannot be opened or read are left out; with <tt>ignore_error: false</tt> the
  # error is raised, after the path was yielded.
  #
  # Each directory is opened below its parent, and a tree may be deeper than a path may be long. A
  # directory that is replaced by a link meanwhile is not followed, and that is no error, also with
  # <tt>ignore_error: false</tt>. What is a directory is known before its path is yielded: one that
  # the block puts in the place of a file is not entered, as Find.find would.
  #
  # Takes 4 calls of the system for a directory of up to about 2,000 entries and none for an entry,
  # without Ruby's lock; with <tt>ignore_error: false</tt> 1 for each entry more. An interrupt waits
  # until the directory is read that is being read: about 0.4 seconds for a million entries.
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
