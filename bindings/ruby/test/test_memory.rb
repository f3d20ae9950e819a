# frozen_string_literal: true

require "helper"
require "memory/calls"

class TestMemory < Test::Unit::TestCase
  ROUNDS = Integer(ENV.fetch("CURT_ROUNDS", "1000"))
  SLACK = 256 * 1024

  STRESS = <<~'RUBY'
    require "memory/calls"
    Dir.chdir(ARGV.fetch(0))
    GC.stress = true
    Calls::ALL.each_value { |call| Calls.repeat(Integer(ARGV.fetch(1)), call) }
    puts "all"
  RUBY

  def setup
    @before = Dir.pwd
    Dir.chdir(@folder = Dir.mktmpdir)
    FileUtils.mkdir_p("tree/folder")
    File.write("tree/file", "text")
  end

  def teardown
    Dir.chdir(@before)
    FileUtils.rm_r(@folder)
  end

  def resident
    GC.start
    File.read("/proc/self/statm").split[1].to_i * 4096
  end

  def test_no_call_keeps_memory
    omit("AddressSanitizer keeps what is freed") if ENV.key?("ASAN_OPTIONS")
    Calls::ALL.each do |name, call|
      Calls.repeat(ROUNDS, call)
      growth = []
      while growth.size < 8 && (growth.empty? || growth.last >= SLACK)
        before = resident
        Calls.repeat(ROUNDS, call)
        growth << resident - before
      end
      assert_operator(growth.last, :<, SLACK, "#{name}: #{growth}")
    end
  end

  def test_garbage_may_be_collected_at_any_time
    assert_equal("all\n", output_of(STRESS, @folder, [ROUNDS / 1000, 1].max.to_s))
  end
end
