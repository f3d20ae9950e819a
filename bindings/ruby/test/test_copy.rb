# frozen_string_literal: true

require "helper"
require "pathname"
require "stringio"
require "timeout"

class TestCopy < Test::Unit::TestCase
  def setup
    @folder = Dir.mktmpdir("curt")
    @before = Dir.pwd
    Dir.chdir(@folder)
  end

  def teardown
    Dir.chdir(@before)
    FileUtils.remove_entry(@folder)
  end

  def plant
    FileUtils.mkdir_p(%w[a/b/c a/d full/a/b empty])
    { "a/f" => "text", "a/b/f" => "deep", "full/a/f" => "old", "f" => "file" }
      .each { |path, text| File.write(path, text) }
    File.chmod(0o751, "a/f")
    File.chmod(0o500, "a/d")
    File.chmod(0o640, "full/a/f")
    File.utime(1, 2, "a/f", "a/d")
    File.symlink("b", "a/to-b")
    File.symlink("a", "to-a")
    File.link("f", "same")
  end

  CALLS = [
    %w[a new], %w[a new/], %w[a/ new], %w[a/. new], %w[a empty], %w[a/. empty], %w[a full],
    %w[f a/f], %w[f new], %w[f empty], [%w[a f], "full"], [%w[a f], "new"], [[], "new"],
    %w[to-a new], %w[to-a empty], ["to-a", "new", { dereference_root: false }],
    ["a", "new", { preserve: true }], ["a", "full", { preserve: true }],
    ["a", "full", { remove_destination: true, preserve: true }], [Pathname("a"), Pathname("new")],
    %w[none new], %w[a none/new], %w[a f], %w[a f/new], [["a"], "f"], [["f"], "full/a/f"],
    %w[a .], %w[f .], %w[f same], %w[a a/new], ["a", nil], [1, "new"], ["a", "b\0"], [[nil], "."]
  ].freeze

  def test_it_copies_like_fileutils
    CALLS.each do |src, dest, keywords|
      results = [FileUtils, Curt].map do |by|
        Dir.mkdir("top")
        Dir.chdir("top") do
          plant
          [outcome { by.cp_r(src, dest, **keywords.to_h) && nil }, facts]
        end
      ensure
        FileUtils.rm_rf("top")
      end
      assert_equal(*results, "#{src} #{dest} #{keywords}")
    end
  end

  def test_it_replaces_what_fileutils_writes_to
    plant
    File.symlink("../f", "full/f")
    File.link("full/a/f", "other")
    Curt.cp_r(["a", "a/f"], "full")
    assert_equal(%w[text old file], %w[full/f other f].map { |path| File.read(path) })
    assert_equal(%w[text file], [File.read("full/a/f"), File.ftype("full/f")])
    File.mkfifo("fifo")
    assert_raise(Errno::EINVAL) { Curt.cp_r("f", "fifo") }
    error = assert_raise(ArgumentError) { Curt.cp_r("a", "a/b/c/new") }
    assert_equal("cannot copy directory a to itself a/b/c/new", error.message)
    error = assert_raise(ArgumentError) { Curt.cp_r("f", "same") }
    assert_equal("same file: f and same", error.message)
    assert_raise(Errno::EEXIST) { Curt.cp_r(%w[f full/f], "empty") }
  end

  def test_noop_and_verbose
    before, $stdout = $stdout, StringIO.new
    Curt.cp_r(["a", Pathname("b")], "c", preserve: true, noop: true, verbose: true)
    Curt.cp_r("a", "c", remove_destination: true, noop: true, verbose: true)
    assert_equal("cp -rp a b c\ncp -r --remove-destination a c\n", $stdout.string)
  ensure
    $stdout = before
  end

  def test_it_goes_on_after_a_failure_and_a_timeout_stops_it
    FileUtils.mkdir_p(%w[many new])
    1000.times { |number| File.write("many/#{number}", "text") }
    error = assert_raise(Errno::ENOENT) { Curt.cp_r(%w[none many], "new", threads: 1) }
    assert_equal("No such file or directory @ stat - none", error.message)
    assert_equal(1000, Dir.children("new/many").size)
    assert_raise(Timeout::Error) { Timeout.timeout(0.002) { Curt.cp_r("many", "other") } }
    assert_operator(Dir.glob("other/*").size, :<, 1000)
    assert(Dir.glob("other/*").all? { |path| File.size(path) == 4 })
  end

  def test_under_gc_stress
    assert_equal("ArgumentError\n", output_under_stress(<<~RUBY))
      Dir.mkdir("a")
      Curt.cp_r(["a"], "a") rescue puts $!.class
      Curt.cp_r("a", "b")
    RUBY
    assert_equal(%w[a b], Dir.children(".").sort)
  end

  private

  def outcome
    yield
  rescue SystemCallError, ArgumentError, TypeError => error
    error.class
  end

  def facts
    Dir.glob("**/*", File::FNM_DOTMATCH).sort.map do |path|
      found = File.lstat(path)
      text = found.file? ? File.read(path) : found.symlink? && File.readlink(path)
      [path, found.mode, found.mtime.to_i == 2, text]
    end
  end
end
