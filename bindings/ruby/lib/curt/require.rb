# frozen_string_literal: true

require "curt"

# <tt>require "curt/require"</tt> replaces +require+ and +load+. The new methods find the path in an
# index of the directories in <tt>$LOAD_PATH</tt>, whereas Ruby tries to open each candidate in each
# root.
#
#   require "curt/require"
#   require "set"
#
# Each +require+ revalidates the roots ahead of the match. Only nested calls, from files being
# loaded, reuse a validation for up to a second. They can miss a file that appears meanwhile in a
# root ahead of the match.
#
# Ruby still searches for missing names, for gems to activate, and from the first root that is not
# an absolute path. If another library replaced +require+ before, its version is called, with the
# path if there is a match.
#
# Costs 1 system call per root up to the match, once within an outermost +require+, and about 5 per
# new or changed directory.
module Curt
  class << self
    private

    # Returns whether a feature needs no gem to be activated.
    def require_found?(name) # :nodoc:
      !@checks_gems || (Gem::Specification.unresolved_deps.empty? &&
                        !Gem.find_unresolved_default_spec(name))
    end
  end

  # A second load of this file would mistake curt's method for Ruby's.
  unless Kernel.private_method_defined?(:curt_require_before)
    [Kernel, Kernel.singleton_class].each do |owner|
      # Skips prepended modules, which remain in front.
      before, load_before = %i[require load].map do |name|
        method = owner.instance_method(name)
        method = method.super_method until method.owner == owner
        method
      end
      by, = before.source_location
      @checks_gems = defined?(Gem) && by if owner == Kernel
      # Skip RubyGems' require, which does nothing special for a path. Another library's may.
      is_of_gems = by&.match?(%r{/rubygems/core_ext/kernel_require\.rb>?\z})
      found = is_of_gems ? owner.instance_method(:gem_original_require) : before
      owner.class_eval do
        define_method(:curt_require_before, before)
        define_method(:curt_load_before, load_before)
        define_method(:curt_require_found, found)
        private :curt_require_before, :curt_load_before, :curt_require_found
      end
    end
    look_up_features
  end
end
