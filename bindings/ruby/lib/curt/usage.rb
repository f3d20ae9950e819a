# frozen_string_literal: true

module Curt
  Usage = Struct.new(:entries, :apparent, :allocated, :unknown) # :nodoc:

  # The disk usage of trees, as returned by Curt.usage:
  #
  # - +entries+: the number of entries, including directories.
  # - +apparent+: the total length in bytes of files and symlink targets. Unlike
  #   <tt>du --apparent-size</tt>, directories add nothing.
  # - +allocated+: the bytes allocated by the filesystem, also for directories.
  # - +unknown+: the number of entries of unknown size, which the sums leave out.
  class Usage < Struct
  end

  # Adds up the disk usage of trees, like +du+. Returns a frozen Curt::Usage with +entries+,
  # +apparent+ (the total size), +allocated+ and +unknown+, or raises the first failure.
  # A file with several hard links, or below two of the paths, counts once.
  #
  #   Curt.usage("project").entries         # => 6
  #   Curt.usage("project/build", "project/src", count_links: true).unknown  # => 0
  #
  # - +follow+: follows symlinks; a broken symlink is a failure.
  # - +same_file_system+: does not enter directories on a filesystem other than that of their path.
  # - +count_links+: counts a file with several hard links for each of them.
  # - +threads+: as for rm_r.
  #
  # Releases the GVL. On Linux, costs one system call per entry, and 4 more per directory.
  def self.usage(*paths, follow: nil, same_file_system: nil, count_links: nil, threads: nil)
    Usage.new(*measure(paths, follow, same_file_system, count_links, threads)).freeze
  end
end
