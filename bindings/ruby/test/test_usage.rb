# frozen_string_literal: true

require "helper"
require "find"
require "pathname"
require "timeout"

class TestUsage < Test::Unit::TestCase
  def setup
    @folder = Dir.mktmpdir("curt")
    @tree = File.join(@folder, "tree")
    FileUtils.mkdir_p(File.join(@tree, "a/b"))
    File.write(File.join(@tree, "a/file"), "x" * 5000)
    File.link(File.join(@tree, "a/file"), File.join(@tree, "a/b/same"))
    File.symlink("a/file", File.join(@tree, "link"))
    FileUtils.mkdir_p(File.join(@folder, "other/c"))
    File.symlink("../other", File.join(@tree, "out"))
  end

  def teardown
    FileUtils.remove_entry(@folder)
  end

  def test_it_is_the_sum_of_lstat
    stats = Find.find(@tree).map { |path| File.lstat(path) }
    assert_equal(sum(stats.uniq(&:ino)), Curt.usage(@tree))
    assert_equal(sum(stats), Curt.usage(@tree, count_links: true))
    assert_equal(sum(stats.uniq(&:ino)), Curt.usage(Pathname(@tree), "#{@tree}/a", threads: 1))
    assert_equal(sum([File.lstat("#{@tree}/link")]), Curt.usage("#{@tree}/link"))
    Dir.chdir(@tree) { assert_equal(Curt.usage(@tree), Curt.usage(".", same_file_system: true)) }
  end

  def test_links_are_followed
    assert_equal(6, Curt.usage(@tree).entries)
    stats = (Find.find("#{@tree}/a").to_a + Find.find("#{@folder}/other").to_a + [@tree])
            .map { |path| File.lstat(path) }
    assert_equal(sum(stats.uniq(&:ino)), Curt.usage(@tree, follow: true))
    File.symlink("/proc/sys/kernel/random", "#{@tree}/elsewhere")
    assert_equal(sum(stats.uniq(&:ino)), Curt.usage(@tree, follow: true, same_file_system: true))
    entries = stats.uniq(&:ino).size + Find.find("/proc/sys/kernel/random").count
    assert_equal(entries, Curt.usage(@tree, follow: true).entries)
  end

  def test_the_result_is_frozen
    usage = Curt.usage(@tree)
    assert_predicate(usage, :frozen?)
    assert_kind_of(Curt::Usage, usage)
    assert_equal([0, 0, 0, 0], Curt.usage.to_a)
    assert_equal(0, usage.unknown)
  end

  def test_failures_are_raised
    error = assert_raise(Errno::ENOENT) { Curt.usage(@tree, "#{@tree}/missing") }
    assert_equal("No such file or directory @ stat - #{@tree}/missing", error.message)
    File.symlink("nowhere", "#{@tree}/broken")
    assert_raise(Errno::ENOENT) { Curt.usage(@tree, follow: true) }
    assert_raise(ArgumentError) { Curt.usage("a\0b") }
    assert_raise(ArgumentError) { Curt.usage(@tree, threads: 0) }
    assert_raise(TypeError) { Curt.usage(@tree, threads: "1") }
    assert_raise(TypeError) { Curt.usage([@tree]) }
    assert_raise(Encoding::CompatibilityError) { Curt.usage(@tree.encode("UTF-16LE")) }
  end

  def test_long_work_can_be_interrupted_and_is_the_same
    100.times do |i|
      Dir.mkdir(folder = File.join(@tree, i.to_s))
      100.times { |k| File.write(File.join(folder, k.to_s), "x") }
    end
    stats = Find.find(@tree).map { |path| File.lstat(path) }
    [1, 2, nil].each do |threads|
      assert_equal(sum(stats.uniq(&:ino)), Curt.usage(@tree, threads: threads))
    end
    assert_raise(Timeout::Error) do
      Timeout.timeout(0.004) { loop { Curt.usage(@tree, threads: 1) } }
    end
  end

  def test_a_rescuing_handler_does_not_hide_one_that_raises
    assert_equal("IOError\n" * 3, output_of(<<~RUBY))
      trap("USR1") { Process.kill("USR2", Process.pid) && raise(IOError) }
      trap("USR2") { begin; raise "rescued"; rescue RuntimeError; end }
      3.times do
        Thread.new { sleep(0.02) && Process.kill("USR1", Process.pid) }
        # Long enough to be running when the first signal is handled.
        Curt.usage("/usr", threads: 1) while true
      rescue IOError => error
        p error.class
      end
    RUBY
  end

  private

  def sum(stats)
    files = stats.reject(&:directory?)
    Curt::Usage.new(stats.size, files.sum(&:size), stats.sum { |stat| stat.blocks * 512 }, 0)
  end
end
