# frozen_string_literal: true

require "curt"
require "fileutils"
require "find"

# +require "curt/install"+ puts curt in the place of File.expand_path, File.absolute_path,
# Dir.children, Find.find, FileUtils.remove_entry and FileUtils.remove_entry_secure, and with these
# of what calls them: FileUtils.rm_r, rm_rf, rmtree and remove_dir, the modules FileUtils::Verbose,
# NoWrite and DryRun, the same methods of Pathname, and Dir.mktmpdir. Their arguments, results and
# errors stay Ruby's.
#
#   require "curt/install"
#   FileUtils.rm_rf("build", verbose: true)
#   Find.find(".") { |path| Find.prune if path.end_with?("/vendor") }
#
# Curt.rm_r says what it does not remove and Ruby does.
module Curt
  unless const_defined?(:ORIGINALS, false)
    # Ruby's own methods, by name.
    ORIGINALS = {
      "File.expand_path" => File.method(:expand_path),
      "File.absolute_path" => File.method(:absolute_path),
      "Dir.children" => Dir.method(:children),
      "Find.find" => Find.method(:find),
      "FileUtils.remove_entry" => FileUtils.method(:remove_entry),
      "FileUtils.remove_entry_secure" => FileUtils.method(:remove_entry_secure)
    }.freeze

    { File => %i[expand_path absolute_path], Dir => %i[children] }.each do |place, names|
      names.each do |name|
        # So that Ruby does not warn of a method that is defined anew.
        place.singleton_class.alias_method(name, name)
        place.define_singleton_method(name, Installed.instance_method(name))
      end
    end
  end
end

module Find # :nodoc:
  def find(*paths, ignore_error: true, &block)
    block or return enum_for(__method__, *paths, ignore_error: ignore_error)

    Curt.find(*paths, ignore_error: ignore_error, &block)
  end
  module_function :find
end

module FileUtils # :nodoc:
  def remove_entry(path, force = false)
    begin
      path = File.path(path)
    rescue StandardError
      raise unless force
      return
    end
    Curt.rm_r(path, force: force)
    nil
  end
  module_function :remove_entry

  unless private_method_defined?(:curt_remove_entry_secure)
    alias curt_remove_entry_secure remove_entry_secure
    private_module_function :curt_remove_entry_secure
  end

  # Ruby's own still judges parents that all may write to, and removes what curt could not: it makes
  # the directories accessible first.
  def remove_entry_secure(path, force = false)
    # What is removed must not be found by the old name of a directory that was renamed.
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
  module_function :remove_entry_secure
end
