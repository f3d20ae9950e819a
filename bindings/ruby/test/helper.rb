# frozen_string_literal: true

require "curt"
require "fileutils"
require "test/unit"
require "tmpdir"

# Runs a script in a new process, because in Ruby 3.1 a Ractor leaves locks behind, even without
# curt, and later tests would hang.
def output_of(script, *arguments)
  load_path = $LOAD_PATH.flat_map { |folder| ["-I", folder] }
  IO.popen([RbConfig.ruby, "-W0", *load_path, "-r", "curt", "-e", script, *arguments], &:read)
end

# Runs a script with frequent garbage collections, in a new process, which has little to mark.
def output_under_stress(script, *arguments)
  output_of("GC.stress = true\n#{script}", *arguments)
end
