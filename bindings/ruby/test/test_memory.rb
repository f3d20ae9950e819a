# frozen_string_literal: true

require "helper"

# Calls of every function, with what it takes and what it refuses: they keep no memory, and hold when
# Ruby collects garbage at every chance.
class TestMemory < Test::Unit::TestCase
  # So many times; more for a thorough run.
  ROUNDS = Integer(ENV.fetch("CURT_ROUNDS", "1000"))
  # For what allocators do.
  SLACK = 256 * 1024

  # A path whose conversion raises.
  UNWILLING = Object.new
  def UNWILLING.to_path = raise(IOError, "unwilling")

  LONG = "#{"long/" * 400}end"

  CALLS = {
    "expand_path" => -> { Curt.expand_path("../a/./b", "/x") },
    "expand_path, long" => -> { Curt.expand_path(LONG) },
    "expand_path, home" => -> { Curt.expand_path("~/a") },
    "expand_path, Windows" => -> { Curt.expand_path("..\\a", "C:/x", flavor: :windows) },
    "expand_path, encodings" => -> { Curt.expand_path("\u00e4", "/\xe4".dup.force_encoding("latin1")) },
    "expand_path, nobody's home" => -> { Curt.expand_path("~nobody-of-this-name") },
    "expand_path, NUL" => -> { Curt.expand_path("a\0b") },
    "expand_path, unwilling" => -> { Curt.expand_path("a", UNWILLING) },
    "absolute_path" => -> { Curt.absolute_path("~") },
    "realpath" => -> { Curt.realpath("tree/folder/..") },
    "realpath, missing" => -> { Curt.realpath("tree/none") },
    "children" => -> { Curt.children("tree") },
    "children, encoding" => -> { Curt.children("tree", encoding: Encoding::BINARY) },
    "children, missing" => -> { Curt.children("none") },
    "find" => -> { Curt.find("tree") { nil } },
    "find, to_a" => -> { Curt.find("tree").to_a },
    "find, next" => -> { Curt.find("tree").next },
    "find, break" => -> { Curt.find("tree") { break } },
    "find, raise" => -> { Curt.find("tree") { raise IOError, "enough" } },
    "find, throw" => -> { catch(:enough) { Curt.find("tree") { throw :enough } } },
    "find, missing" => -> { Curt.find("none") { nil } },
    "which" => -> { Curt.which("sh") },
    "which, missing" => -> { Curt.which("none", path: "/usr/bin") },
    "which, NUL" => -> { Curt.which("a\0b") },
    "usage" => -> { Curt.usage("tree", threads: 1).entries },
    "usage, missing" => -> { Curt.usage("none", threads: 1) },
    "rm_r" => -> { File.write("file", "") && Curt.rm_r("file", threads: 1) },
    "rm_r, missing" => -> { Curt.rm_r("none", threads: 1) },
    "rm_rf" => -> { Curt.rm_rf(%w[none nor\ this], threads: 1) },
    "rm_rf, unwilling" => -> { Curt.rm_rf(["none", UNWILLING], threads: 1) },
    "Root.open" => -> { Curt::Root.open("tree") { |root| root.open("file", &:read) } },
    "Root.open, not closed" => -> { Curt::Root.open("tree") && nil },
    "Root.open, missing" => -> { Curt::Root.open("none") },
    "Root#open, outside" => -> { Curt::Root.open("tree") { |root| root.open("../file") } },
    "Root#open, raise" => -> { Curt::Root.open("tree") { |root| root.open("file") { raise IOError } } },
    "Root#open, closed" => -> { Curt::Root.open("tree").tap(&:close).open("file") }
  }.freeze

  # The failures that calls of the table are meant to have.
  FAILURES = [SystemCallError, ArgumentError, IOError, EncodingError].freeze

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

  def repeat(times, call)
    times.times do
      call.call
    rescue *FAILURES
      nil
    end
  end

  def resident
    GC.start
    File.read("/proc/self/statm").split[1].to_i * 4096
  end

  def test_no_call_keeps_memory
    omit("AddressSanitizer keeps what is freed") if ENV.key?("ASAN_OPTIONS")
    CALLS.each do |name, call|
      repeat(ROUNDS, call)
      # What is lost with each call grows each time; Ruby's own heap stops growing.
      growth = []
      while growth.size < 8 && (growth.empty? || growth.last >= SLACK)
        before = resident
        repeat(ROUNDS, call)
        growth << resident - before
      end
      assert_operator(growth.last, :<, SLACK, "#{name}: #{growth}")
    end
  end

  def test_garbage_may_be_collected_at_any_time
    CALLS.each_value do |call|
      GC.stress = true
      repeat([ROUNDS / 1000, 1].max, call)
    ensure
      GC.stress = false
    end
  end
end
