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
# those within it, of the files that it loads, rely on what was asked since it began: a file that
# appears meanwhile in an earlier root than the one that had it before may then not be seen. What is
# not found is left to Ruby, and so is what RubyGems has to activate. An element of the load path
# that is no absolute path is Ruby's, and so are those behind it.
#
# It costs 1 call for each root up to the one that has the feature, once within an outermost
# +require+, and about 5 for each directory that is new or was changed.
module Curt
  class << self
    private

    # Whether Ruby's own +require+ may be given the file of a feature: no gem is to be activated.
    def require_of_ruby?(name)
      !@asks_gems || (Gem::Specification.unresolved_deps.empty? &&
                      !Gem.find_unresolved_default_spec(name))
    end
  end

  # Loaded a second time, it would take itself for Ruby's.
  unless Kernel.private_method_defined?(:curt_require_before)
    is_replaced = Kernel.private_method_defined?(:gem_original_require)
    own = Kernel.instance_method(is_replaced ? :gem_original_require : :require)
    @asks_gems = defined?(Gem) && own != Kernel.instance_method(:require)

    [Kernel, Kernel.singleton_class].each do |place|
      place.class_eval do
        alias_method :curt_require_before, :require
        alias_method :curt_load_before, :load
        define_method(:curt_require_of_ruby, own)
        private :curt_require_before, :curt_load_before, :curt_require_of_ruby
      end
    end
    look_up_features
  end
end
