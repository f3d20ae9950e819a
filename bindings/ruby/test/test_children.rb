# frozen_string_literal: true

require "helper"
require "pathname"
require "timeout"

class TestChildren < Test::Unit::TestCase
  def setup
    @folder = Dir.mktmpdir("curt")
    names = ["a", "with space", "line\nbreak", "\xFF\xFE".b, "ä", "x" * 255, ".hidden", "-n"]
    names.each { |name| File.write(File.join(@folder, name), "") }
    Dir.mkdir(File.join(@folder, "dir"))
  end

  def teardown
    FileUtils.remove_entry(@folder)
  end

  def test_they_are_those_of_dir_children
    assert_same_children(@folder)
    assert_same_children(Pathname(@folder))
    assert_same_children(File.join(@folder, "dir"))
    Dir.chdir(@folder) { assert_same_children(".") }
    ["EUC-JP", Encoding::BINARY, Encoding::UTF_8, "filesystem", nil].each do |encoding|
      assert_same_children(@folder, encoding: encoding)
    end
  end

  def test_names_are_converted_to_the_internal_encoding
    FileUtils.rm(File.join(@folder, "\xFF\xFE".b))
    verbose, $VERBOSE = $VERBOSE, nil
    Encoding.default_internal = Encoding::UTF_16LE
    assert_same_children(@folder)
    assert_same_children(@folder, encoding: Encoding::ISO_8859_1)
  ensure
    Encoding.default_internal = nil
    $VERBOSE = verbose
  end

  def test_large_directories_are_read_to_their_end
    dir = File.join(@folder, "large")
    Dir.mkdir(dir)
    [127, 128, 129, 5000].each do |count|
      (Dir.children(dir).size...count).each { |number| File.write("#{dir}/#{number}", "") }
      assert_same_children(dir)
    end
  end

  def test_errors_are_those_of_dir_children
    [@folder + "/missing", @folder + "/a", "", "a\0b", 1, nil, :a, "a".encode("UTF-16LE")]
      .each { |path| assert_same_failure(path) }
    assert_same_failure(@folder, encoding: "none of these")
    assert_same_failure(@folder, encoding: 1)
    assert_same_failure(@folder, other: 1)
    assert_raise(ArgumentError) { Curt.children }
    assert_raise(ArgumentError) { Curt.children(@folder, @folder) }
    error = assert_raise(Errno::ENOENT) { Curt.children("#{@folder}/missing") }
    assert_equal("No such file or directory @ open_directory - #{@folder}/missing", error.message)
  end

  def test_all_descriptors_are_closed
    before = Dir.children("/proc/self/fd").size
    100.times do
      Curt.children(@folder)
      assert_raise(Errno::ENOTDIR) { Curt.children("#{@folder}/a") }
    end
    assert_equal(before, Dir.children("/proc/self/fd").size)
  end

  def test_threads_interrupts_and_the_garbage_collector
    assert_equal([Dir.children(@folder)] * 8,
                 Array.new(8) { Thread.new { Curt.children(@folder) } }.map(&:value))
    assert_raise(Timeout::Error) { Timeout.timeout(0.05) { loop { Curt.children(@folder) } } }
    FileUtils.mkdir_p(long = File.join(@folder, *["d" * 200] * 3))
    FileUtils.touch(File.join(long, "file"))
    children = output_under_stress("ARGV.each { |path| p Curt.children(path) }", @folder, long)
    assert_equal("#{Dir.children(@folder)}\n[\"file\"]\n", children)
  end

  def test_ractors
    script = "p Ractor.new(ARGV[0]) { |folder| Curt.children(folder) }.take"
    assert_equal("#{Dir.children(@folder)}\n", output_of(script, @folder))
  end

  private

  def assert_same_children(*arguments, **options)
    expected = Dir.children(*arguments, **options)
    children = Curt.children(*arguments, **options)
    assert_equal(expected.map { |name| [name, name.encoding] },
                 children.map { |name| [name, name.encoding] })
    assert(children.none?(&:frozen?))
  end

  def assert_same_failure(*arguments, **options)
    expected = assert_raise { Dir.children(*arguments, **options) }
    assert_raise(expected.class) { Curt.children(*arguments, **options) }
  end
end
