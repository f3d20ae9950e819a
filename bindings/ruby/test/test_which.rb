# frozen_string_literal: true

require "helper"
require "mkmf"

class TestWhich < Test::Unit::TestCase
  def setup
    @folder = File.realpath(Dir.mktmpdir)
    %w[one two].each { |name| Dir.mkdir(at(name)) }
    { "one/tool" => 0o755, "two/tool" => 0o755, "two/other" => 0o755, "one/plain" => 0o644,
      "one/odd ü" => 0o755 }.each do |name, mode|
      File.write(at(name), "", perm: mode)
    end
    Dir.mkdir(at("one/folder"))
    File.symlink("tool", at("one/link"))
    File.symlink("nowhere", at("one/broken"))
    @path = "#{at("none")}:#{at("one")}:#{at("two")}"
  end

  def teardown
    FileUtils.rm_rf(@folder)
  end

  def at(name)
    File.join(@folder, name)
  end

  def test_the_first_program_is_found
    names = ["tool", "other", "plain", "folder", "link", "broken", "gone", "odd ü", at("one/tool"),
             at("one/plain"), at("one/folder"), at("gone")]
    MakeMakefile::Logging.quiet = true
    MakeMakefile::Logging.logfile(at("log"))
    names.each do |name|
      expected = MakeMakefile.find_executable0(name, @path)
      assert_equal(expected, Curt.which(name, path: @path), name)
    end
    assert_equal(at("one/tool"), Curt.which("tool", path: @path))
    assert_equal(Encoding.find("filesystem"), Curt.which("tool", path: @path).encoding)
  end

  def test_path_is_that_of_the_environment
    before = ENV.fetch("PATH")
    ENV["PATH"] = @path
    assert_equal(at("one/tool"), Curt.which("tool"))
    assert_equal(at("one/tool"), Curt.which("tool", path: nil))
    assert_nil(Curt.which("sh"))
    assert_nil(Curt.which("tool", path: at("none")))
    ENV.delete("PATH")
    assert_true(File.executable?(Curt.which("sh")))
  ensure
    ENV["PATH"] = before
  end

  def test_the_working_directory_is_searched_if_path_names_it
    Dir.chdir(at("one")) do
      assert_nil(Curt.which("tool", path: at("none")))
      assert_nil(Curt.which("tool", path: ""))
      assert_true(File.identical?("tool", Curt.which("tool", path: ".")))
      assert_true(File.identical?("tool", Curt.which("./tool", path: at("none"))))
      assert_true(File.identical?("tool", Curt.which("../one/tool")))
      assert_true(Curt.which("../one/tool").start_with?("/"))
      assert_nil(Curt.which("./plain"))
    end
  end

  def test_long_paths
    deep = File.join(at("one"), *["d" * 200] * 10)
    FileUtils.mkdir_p(deep)
    File.write(File.join(deep, "far"), "", perm: 0o755)
    assert_equal(File.join(deep, "far"), Curt.which("far", path: "#{@path}:#{deep}"))
  end

  def test_names_that_no_program_can_have
    ["", ".", "..", "/", "x" * 256, "x" * 5000, "\xFF"].each do |name|
      assert_nil(Curt.which(name, path: @path), name)
    end
  end

  def test_failed_queries_are_errors
    File.symlink("loop", at("one/loop"))
    assert_raise(Errno::ELOOP) { Curt.which(at("one/loop")) }
    omit("only root can become another user") if Process.uid != 0
    Dir.mkdir(at("closed"), 0o700)
    File.chmod(0o755, @folder)
    child = fork do
      Process::Sys.setgid(65_534)
      Process::Sys.setuid(65_534)
      path = "#{at("closed")}:#{@path}"
      seen = ["gone", "tool", at("closed/x")].map do |name|
        Curt.which(name, path: path)
      rescue SystemCallError => error
        error.class
      end
      exit!(seen == [nil, at("one/tool"), Errno::EACCES] ? 0 : 1)
    end
    assert_equal(0, Process.wait2(child)[1].exitstatus)
  end

  def test_arguments_are_those_of_ruby
    name = Object.new
    name.define_singleton_method(:to_path) { "tool" }
    assert_equal(at("one/tool"), Curt.which(name, path: @path.b.freeze))
    name = Object.new
    name.define_singleton_method(:to_path) { raise KeyError }
    assert_raise(KeyError) { Curt.which(name) }
    assert_raise(KeyError) { Curt.which("tool", path: name) }
    ["a\0b", "\0"].each do |text|
      assert_raise(ArgumentError) { Curt.which(text) }
      assert_raise(ArgumentError) { Curt.which("tool", path: text) }
    end
    assert_raise(Encoding::CompatibilityError) { Curt.which("tool".encode("utf-16le")) }
    assert_raise(Encoding::CompatibilityError) { Curt.which("x", path: "x".encode("utf-16le")) }
    [nil, 1, :tool, []].each { |wrong| assert_raise(TypeError) { Curt.which(wrong) } }
    [1, :tool, []].each { |wrong| assert_raise(TypeError) { Curt.which("tool", path: wrong) } }
    assert_raise(ArgumentError) { Curt.which }
    assert_raise(ArgumentError) { Curt.which("a", "b") }
    assert_raise(ArgumentError) { Curt.which("a", paths: "b") }
  end

  def test_under_gc_stress
    script = "%w[tool tool gone].each { |name| p Curt.which(name, path: ARGV[0]) }"
    tool = at("one/tool").inspect
    assert_equal("#{tool}\n#{tool}\nnil\n", output_under_stress(script, @path))
  end
end
