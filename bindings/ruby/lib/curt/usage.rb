# frozen_string_literal: true

module Curt
  # The space that trees take:
  #
  # - +entries+: how many entries were counted, directories included.
  # - +apparent+: the bytes that can be read, the lengths of files and of the targets of links.
  #   Directories add nothing, where <tt>du --apparent-size</tt> adds their own size.
  # - +allocated+: the bytes that the file system has allocated, also for directories.
  # - +unknown+: how many entries have no size that the system knows. They are missing in the sums.
  Usage = Struct.new(:entries, :apparent, :allocated, :unknown)

  # Adds up the space that the trees take together, each with everything below it, as +du+ does. A
  # file with several names, or below two of the paths, counts once. Returns a frozen Usage, or
  # raises the first failure of the file system.
  #
  #   Curt.usage("project").entries         # => 6
  #   Curt.usage("project/build", "project/src", count_links: true).unknown  # => 0
  #
  # - +follow+: links are followed; one that leads nowhere is a failure.
  # - +same_file_system+: directories on another file system than that of the path are not entered.
  # - +count_links+: a file with several names counts for each of them.
  # - +threads+: as for rm_r.
  #
  # Other threads of Ruby run meanwhile.
  #
  # Costs on Linux one call for each entry, and 4 more for each directory.
  def self.usage(*paths, follow: nil, same_file_system: nil, count_links: nil, threads: nil)
    Usage.new(*measure(paths, follow, same_file_system, count_links, threads)).freeze
  end
end
