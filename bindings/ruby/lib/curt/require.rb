# frozen_string_literal: true

require "curt"

# Puts +require+ and +load+ in the place of Ruby's: what they name is looked up in what is known of
# the directories in <tt>$LOAD_PATH</tt>, and Ruby is given the path. Ruby itself tries to open each
# candidate in each root.
#
#   require "curt/require"
#   require "set"
#
# Never stale: each +require+ asks the directories that its answer depends on for their times. Only
# those within it, of the files that it loads, rely on what was asked within the last second: a file
# that appears meanwhile in an earlier root than the one that had it before may then not be seen.
# What is not found is left to Ruby, and so is what RubyGems has to activate. An element of the load
# path that is no absolute path is Ruby's, and so are those behind it. Other libraries' +require+
# that was there before is called with the path, or with the name of what is not found.
#
# It costs 1 call for each root up to the one that has the feature, once within an outermost
# +require+, and about 5 for each directory that is new or was changed.
module Curt
  class << self
    private

    # Whether the file of a feature may be required: no gem is to be activated.
    def require_found?(name)
      !@asks_gems || (Gem::Specification.unresolved_deps.empty? &&
                      !Gem.find_unresolved_default_spec(name))
    end
  end

  # Loaded a second time, it would take itself for Ruby's.
  unless Kernel.private_method_defined?(:curt_require_before)
    [Kernel, Kernel.singleton_class].each do |place|
      # What is prepended stays in front.
      before, load_before = %i[require load].map do |name|
        method = place.instance_method(name)
        method = method.super_method until method.owner == place
        method
      end
      by, = before.source_location
      @asks_gems = defined?(Gem) && by if place == Kernel
      # With a path there is nothing for RubyGems to do, but for other libraries.
      is_of_gems = by&.match?(%r{/rubygems/core_ext/kernel_require\.rb>?\z})
      found = is_of_gems ? place.instance_method(:gem_original_require) : before
      place.class_eval do
        define_method(:curt_require_before, before)
        define_method(:curt_load_before, load_before)
        define_method(:curt_require_found, found)
        private :curt_require_before, :curt_load_before, :curt_require_found
      end
    end
    look_up_features
  end
end
