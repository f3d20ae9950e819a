# frozen_string_literal: true

require "curt"
require "fileutils"
require "find"
require "rbconfig"

# <tt>require "curt/install"</tt> replaces File.expand_path, File.absolute_path, Dir.children,
# Find.find, FileUtils.remove_entry, FileUtils.remove_entry_secure and FileUtils.copy_entry, and so
# their callers: FileUtils.rm_r, rm_rf, rmtree, remove_dir and cp_r with all their variants, the
# same methods of Pathname, and Dir.mktmpdir. Arguments, results and errors remain Ruby's.
#
#   require "curt/install"
#   FileUtils.rm_rf("build", verbose: true)
#   Find.find(".") { |path| Find.prune if path.end_with?("/vendor") }
#
# See Curt.rm_r for paths that Ruby empties and curt refuses, and Curt.cp_r for devices, set-id bits
# and copies of a directory into itself. Methods that a mock or another library has replaced are
# left alone, and one warning names them. While File.unlink, Dir.rmdir, Dir.mkdir or IO.copy_stream is a
# mock, FileUtils uses Ruby's own methods.
module Curt
  module Installed # :nodoc:
    def find(*paths, ignore_error: true, &block)
      block or return enum_for(__method__, *paths, ignore_error: ignore_error)

      Curt.find(*paths, ignore_error: ignore_error, &block)
    end

    def remove_entry(path, force = false)
      return curt_remove_entry(path, force) if Curt.send(:mocked?)

      begin
        path = File.path(path)
      rescue StandardError
        raise unless force
        return
      end
      Curt.rm_r(path, force: force)
      nil
    end

    # Ruby's method refuses a world-writable parent without a sticky bit, and makes directories
    # accessible before it removes them. So it is called for such a parent, and if curt fails.
    def remove_entry_secure(path, force = false)
      return curt_remove_entry_secure(path, force) if Curt.send(:mocked?)

      # The working directory may have been renamed.
      Curt.refresh
      full = File.expand_path(path)
      parent = File.stat(File.dirname(full))
      return curt_remove_entry_secure(path, force) if parent.world_writable? && !parent.sticky?

      begin
        Curt.rm_r(full)
        nil
      rescue SystemCallError
        curt_remove_entry_secure(path, force)
      end
    rescue StandardError
      raise unless force
    end

    # Ruby's method writes to existing files, also through symlinks, and raises for devices. So it
    # is called unless a directory is copied to a new or empty one.
    def copy_entry(src, dest, preserve = false, dereference_root = false,
                   remove_destination = false)
      from = dereference_root ? File.realpath(src) : src
      is_new = !File.symlink?(dest) && (!File.exist?(dest) || Dir.empty?(dest)) rescue false
      unless is_new && File.directory?(from) && !File.symlink?(from) && !Curt.send(:mocked?)
        return curt_copy_entry(src, dest, preserve, dereference_root, remove_destination)
      end

      Curt.send(:copy_trees, [from, dest], false, preserve, false, false, nil)
    end
  end

  class << self
    private

    def own?(owner, name) # :nodoc:
      method = owner.instance_method(name)
      file, = method.source_location
      method.owner == owner && method.original_name == name &&
        (file.nil? || file.start_with?("<internal:", "#{RbConfig::CONFIG["rubylibdir"]}/") ||
          file.match?(%r{/gems/(fileutils|find)-[\d.]+/lib/\1\.rb\z}))
    rescue NameError
      false
    end

    def mocked? # :nodoc:
      [File.method(:unlink), Dir.method(:rmdir), Dir.method(:mkdir), IO.method(:copy_stream)]
        .any?(&:source_location)
    end

    # Replaces and returns Ruby's method, unless this method or one that it calls is not Ruby's own.
    def replace(owner, name, calls) # :nodoc:
      owners = [owner.singleton_class, *(owner if owner.instance_of?(Module))]
      return unless owners.all? { |one| own?(one, name) }
      return unless calls.all? { |one, call| own?(one.singleton_class, call) }

      own = owner.method(name)
      owners.each do |one|
        one.alias_method(:"curt_#{name}", name)
        one.define_method(name, Installed.instance_method(name))
        one.send(:private, :"curt_#{name}", *(name if one == owner))
      end
      own
    end
  end

  unless const_defined?(:ORIGINALS, false)
    find_calls = [[Dir, :children], [File, :lstat]]
    removal_calls = [*find_calls, [File, :unlink], [Dir, :rmdir]]
    copy_calls = [*find_calls, [Dir, :mkdir], [File, :symlink], [IO, :copy_stream]]
    methods = [
      [File, :expand_path, []], [File, :absolute_path, []], [Dir, :children, []],
      [Find, :find, find_calls], [FileUtils, :remove_entry, removal_calls],
      [FileUtils, :remove_entry_secure, removal_calls], [FileUtils, :copy_entry, copy_calls]
    ]
    # Ruby's replaced methods: a frozen Hash from names such as <tt>"Find.find"</tt> to Method
    # objects. Defined by <tt>require "curt/install"</tt>.
    ORIGINALS = methods.to_h do |owner, name, calls|
      ["#{owner}.#{name}", replace(owner, name, calls)]
    end.compact.freeze
    skipped = methods.map { |owner, name,| "#{owner}.#{name}" } - ORIGINALS.keys
    reason = if skipped.one?
      "it is not Ruby's own, or calls a method that is not"
    else
      "they are not Ruby's own, or call methods that are not"
    end
    warn "curt/install leaves #{skipped.join(", ")} alone: #{reason}" unless skipped.empty?
  end
end
