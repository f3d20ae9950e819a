# frozen_string_literal: true

require "curt"
require "fileutils"
require "test/unit"
require "tmpdir"

# Runs a script with its arguments in a Ruby of its own, and returns what it prints. A Ractor leaves
# locks of Ruby 3.1 behind with which the tests that follow stand still, also one of Ruby alone.
def output_of(script, *arguments)
  load_path = $LOAD_PATH.flat_map { |folder| ["-I", folder] }
  IO.popen([RbConfig.ruby, "-W0", *load_path, "-r", "curt", "-e", script, *arguments], &:read)
end

# Runs one while garbage is collected at every chance. Here each collection would mark what all
# tests have made.
def output_under_stress(script, *arguments)
  output_of("GC.stress = true\n#{script}", *arguments)
end
