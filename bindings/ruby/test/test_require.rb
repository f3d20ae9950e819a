# frozen_string_literal: true

require "helper"
require "open3"
require "rbconfig"

class TestRequire < Test::Unit::TestCase
  PLAYER = File.join(__dir__, "require/player.rb")
  LIBRARY = $LOAD_PATH.select { |folder| File.exist?(File.join(folder, "curt/curt.so")) } +
            [File.expand_path("../lib", __dir__)]

  class Players
    def initialize(folder)
      roots = LIBRARY.flat_map { |root| ["-I", root] }
      [[], [*roots, "-rcurt/require"]].each do |options|
        input, input_end = IO.pipe
        output, output_end = IO.pipe
        pid = spawn(RbConfig.ruby, "-W0", "--disable-did_you_mean", *options, PLAYER,
                    in: input, out: output_end, chdir: folder)
        [input, output_end].each(&:close)
        (@players ||= []) << [input_end, output, pid]
      end
    end

    def play(line)
      @players.map do |input, output|
        input.puts(line)
        input.flush
        output.gets
      end
    end

    def close
      @players.each do |input, output, pid|
        input.close
        output.close
        Process.wait(pid)
      end
    end
  end

  def setup
    @folder = File.realpath(Dir.mktmpdir)
    @players = Players.new(@folder)
  end

  def teardown
    @players.close
    FileUtils.rm_rf(@folder)
  end

  def path(name) = File.join(@folder, name)

  def write(name, text = "")
    FileUtils.mkdir_p(File.dirname(path(name)))
    File.write(path(name), "$loaded << __FILE__\n#{text}")
  end

  def assert_same(line, message = nil)
    ruby, curt = @players.play(line)
    assert_not_nil(ruby)
    assert_equal(ruby, curt, "#{line} #{message}")
    ruby
  end

  def load_path(*roots)
    assert_same("$LOAD_PATH.replace(#{roots.map { |root| path(root) }.inspect}).size")
  end

  def forget
    assert_same("$LOADED_FEATURES.replace(FIRST) && nil")
  end

  def test_the_first_extension_comes_first_in_all_roots
    write("one/f.so")
    write("two/f.rb")
    load_path("one", "two")
    assert_match(%r{\[true, .*two/f\.rb}, assert_same("require \"f\""))
    assert_match(/LoadError/, assert_same("require \"f.so\""))
    assert_match(/LoadError/, assert_same("require \"g\""))
    assert_match(/\Afalse|\[false/, assert_same("require \"f.rb\""))
  end

  def test_loaded_and_provided_features_are_not_loaded_again
    write("one/f.rb")
    write("two/f.rb")
    load_path("two")
    assert_match(/\[true/, assert_same("require \"f\""))
    load_path("one", "two")
    ["f", "f.rb", "thread", "thread.rb", "enumerator", "enumerator.so"].each do |name|
      assert_match(/\[false/, assert_same("require #{name.inspect}"))
    end
    assert_same("$LOADED_FEATURES << \"g.rb\"; require \"g\"")
  end

  def test_odd_names_are_those_of_ruby
    write("one/f.rb")
    write("one/a.b.rb")
    write("one/d/f.rb")
    write("one/ä.rb")
    write("one/o.o")
    load_path("one")
    Dir.mkdir(path("one/dir.rb"))
    ["f", "./f", "../one/f", "one/f", "d//f", "d/./f", "d/../f", "d/", "/f", "~/f", "a.b", "a", "",
     "ä", "ä".b, "d/f.rb", "F", "f.RB", "dir", "dir.rb", "o", "o.o", "f\0", " f", "f ",
     "f".encode("UTF-16LE"), "#{@folder}/one/f", "x" * 5000].each do |name|
      assert_same("require #{name.dump}")
      assert_same("load #{name.dump}")
      forget
    end
    ["nil", "1", ":f", "Pathname(\"f\")", "Class.new { def to_str = \"f\" }.new",
     "Class.new(String).new(\"f\")"].each do |name|
      assert_same("(require #{name}) == true")
      assert_same("load #{name}")
      forget
    end
    ["require", "require 1, 2", "load", "load 1, 2, 3", "Kernel.require \"f\"",
     "Object.new.send(:require, \"f\")", "load \"f.rb\", true", "Kernel.load \"f.rb\"",
     "load \"f\"",
     "method(:require).arity"].each do |line|
      assert_same("(#{line}).to_s")
      forget
    end
  end

  def test_a_root_behind_as_many_links_as_the_system_follows
    write("d0/f.rb")
    1.upto(41) { |number| File.symlink("d#{number - 1}", path("d#{number}")) }
    load_path("d41")
    assert_match(/LoadError/, assert_same("require \"f\""))
    load_path("d40")
    assert_match(/\[true/, assert_same("require \"f\""))
  end

  def test_autoload_and_files_that_require_each_other
    write("one/f.rb", "require \"g\"; F = 1")
    write("one/g.rb", "require \"f\"; require_relative \"d/h\"; G = 1")
    write("one/d/h.rb", "autoload :K, \"k\"; K")
    write("two/k.rb", "K = __FILE__")
    write("two/raises.rb", "raise IOError, \"oh\"")
    write("two/throws.rb", "throw :out, 7")
    load_path("one", "two")
    assert_match(/true/, assert_same("require \"f\""))
    assert_same("[F, G, K]")
    assert_match(/IOError/, assert_same("require \"raises\""))
    assert_same("catch(:out) { require \"throws\" }")
    assert_same("[1, 2].map { Thread.new { require \"throws\" rescue $!.class } }.map(&:value)")
    write("two/w.rb", "self.class; W = 1")
    assert_same("load(\"w.rb\", true); defined?(W)")
    assert_same("load(\"w.rb\", Module.new); defined?(W)")
  end

  def test_elements_of_the_load_path_that_are_no_absolute_strings
    %w[one two three].each { |root| write("#{root}/f.rb") }
    write("one/g.so")
    write("two/g.rb")
    [["one", "#{@folder}/two"], ["#{@folder}/one", "two"]].each do |roots|
      assert_same("$LOAD_PATH.replace(#{roots.inspect}).size")
      %w[f g h].each { |name| assert_same("require #{name.inspect}") }
      forget
    end
    assert_same("$LOAD_PATH.replace([Pathname(#{path("three").inspect})]).size")
    assert_same("require \"f\"")
    forget
    assert_same("$moved = +#{path("one").inspect}; $LOAD_PATH.replace([$moved]).size")
    assert_same("require \"f\"")
    forget
    assert_same("$moved.replace(#{path("two").inspect})")
    assert_same("require \"f\"")
    ["1", "nil", "\"a\\0b\"", "\"\"", "\"~\"", "\"/\""].each do |root|
      assert_same("$LOAD_PATH.replace([#{root}]).size")
      assert_same("require \"f2\"")
    end
  end

  def test_ruby_gets_the_found_path
    write("one/f.rb")
    write("two/g.rb")
    script = <<~RUBY
      module Kernel
        alias of_ruby curt_require_found
        def curt_require_found(path) = (print path, " ") || of_ruby(path)
      end
      $LOAD_PATH.replace([+#{path("one").inspect}, +#{path("two").inspect}])
      $LOADED_FEATURES.clear
      $loaded = []
      require "f"
      require "f"
      $LOADED_FEATURES.clear
      require "g.rb"
    RUBY
    roots = LIBRARY.flat_map { |root| ["-I", root] }
    output, status = Open3.capture2(RbConfig.ruby, *roots, "-rcurt/require", "-e", script)
    assert_true(status.success?)
    assert_equal("#{path("one/f.rb")} #{path("two/g.rb")} ", output)
  end

  def test_other_replacements_of_require_are_called
    write("one/f.rb")
    define = "def require(name) = ($requested << name) && "
    aliased = "alias_method :of_others, :require; #{define}of_others(name)"
    prepended = "prepend(Module.new { #{define}super })"
    { "Kernel" => "require", "Kernel.singleton_class" => "Kernel.require" }.each do |receiver, call|
      { aliased => [path("one/f.rb"), "f"], prepended => %w[f f] }.each do |hook, requested|
        assert_equal([true, false, requested].inspect, output_of(<<~RUBY, path("one")).chomp)
          $loaded = $requested = []
          #{receiver}.class_eval { #{hook} }
          require "curt/require"
          $LOAD_PATH.unshift(ARGV[0])
          $loaded, $requested = [], []
          p [#{call}("f"), #{call}("f"), $requested]
        RUBY
      end
    end
  end

  def test_it_may_be_loaded_twice
    script = "2.times { load \"curt/require.rb\" }; p require(\"English\"), require(\"English\")"
    assert_equal("true\nfalse\n", output_of(script))
  end

  def test_extensions_in_c
    libraries = [RbConfig::CONFIG["rubylibdir"], RbConfig::CONFIG["rubyarchdir"]].inspect
    assert_same("$LOAD_PATH.replace(#{libraries}).size")
    ["zlib.so", "zlib", "socket", "socket.so", "digest.rb", "digest"].each do |name|
      assert_same("require #{name.dump}")
    end
    assert_same("[Zlib, Socket, Digest].size")
  end

  def test_a_fork_and_a_thread_see_changes
    write("two/f.rb")
    load_path("one", "two")
    assert_match(%r{two/f}, assert_same("require \"f\""))
    forget
    write("one/f.rb")
    forked = "fork { exit(require(\"f\") && $loaded[-1].include?(\"one/\")) }"
    assert_match(/\[true/, assert_same("Process.wait(#{forked}); $?.success?"))
    assert_same("Thread.new { require \"f\" }.value")
  end

  # A program may run inside `load` or `require`; the latter reuses validations for a second.
  def test_a_program_that_is_loaded_sees_changes
    { "load \"two/program.rb\"" => 0, "require \"program\"" => 1.05 }.each do |start, pause|
      write("one/g.rb")
      write("two/f.rb")
      write("two/program.rb", <<~RUBY)
        require "f"
        $LOADED_FEATURES.replace(FIRST)
        File.write(#{path("one/f.rb").inspect}, "$loaded << __FILE__")
        sleep(#{pause})
        require "f"
        File.delete(#{path("one/f.rb").inspect})
      RUBY
      load_path("one", "two")
      assert_match(%r{two/program.*two/f.*one/f}, assert_same(start))
      forget
    end
  end

  def test_a_file_required_by_path_sees_changes
    write("two/f.rb")
    write("two/g.rb", "require \"f\"")
    load_path("one", "two")
    assert_match(%r{two/f}, assert_same("require \"f\""))
    forget
    write("one/f.rb")
    assert_match(%r{one/f}, assert_same("require #{path("two/g").inspect}"))
  end

  def test_under_stress_and_in_a_ractor
    write("one/f.rb")
    write("two/g.rb", "raise LoadError, \"no\"")
    load_path("one", "two")
    assert_same("GC.stress = true; [require(\"f\"), load(\"f.rb\"), require(\"f\")]")
    assert_same("GC.stress = false")
    assert_same("require(\"g\")")
    forget
    ractor = "Ractor.new { Thread.current.report_on_exception = false; require \"f\" }"
    assert_same("begin; #{ractor}.take; rescue Ractor::Error => error; error.class; end")
  end

  def test_an_unreadable_file_is_left_to_ruby
    File.chmod(0o755, @folder)
    write("one/f.rb")
    write("two/f.rb")
    write("three/d/g.rb")
    load_path("one", "two", "three")
    assert_same("Process::Sys.setuid(65534) && nil") if Process.uid.zero?
    File.chmod(0, path("one/f.rb"))
    assert_match(%r{two/f}, assert_same("require \"f\""))
    forget
    File.chmod(0o311, path("three/d"))
    assert_match(%r{three/d/g}, assert_same("require \"d/g\""))
    forget
    File.chmod(0, path("three"))
    assert_match(/LoadError/, assert_same("require \"d/g\""))
    File.chmod(0o755, path("three"))
    File.chmod(0o755, path("three/d"))
  end

  def test_random_changes_load_as_in_ruby
    seed = (ENV["CURT_SEED"] || Random.new_seed % 1_000_000).to_i
    random = Random.new(seed)
    steps = (ENV["CURT_STEPS"] || 2000).to_i
    history = []
    found = 0
    WORKING.each { |folder| FileUtils.mkdir_p(path(folder)) }
    steps.times do
      line = random.rand < 0.5 ? change(random) : request(random)
      history << line
      next unless line.start_with?("?")
      answer = assert_same(line[1..], "seed #{seed}, step #{history.size}: #{history.last(12)}")
      found += 1 if answer.start_with?("[true")
    end
    assert_operator(found, :>, steps / 20, "seed #{seed}: too few were found")
  end

  ROOTS = %w[r0 r1 r2 r3 r4 w0/r1 w1/r1].freeze
  WORKING = ["", "w0", "w1"].freeze
  NAMES = %w[f g d/f d/g d/e/f h/f].freeze

  def request(random)
    name = NAMES.sample(random: random)
    case random.rand(12)
    when 0 then "?load(#{name.inspect} + \".rb\")"
    when 1 then "?require(#{name.inspect} + \".rb\")"
    when 2 then "?Dir.chdir(#{path(WORKING.sample(random: random)).inspect})"
    when 3 then "?$LOAD_PATH.#{load_path_change(random)}.size"
    else
      forget if random.rand < 0.7
      "?require(#{name.inspect})"
    end
  end

  def load_path_change(random)
    root = path(ROOTS.sample(random: random)).inspect
    case random.rand(10)
    when 0 then "unshift(#{root})"
    when 1 then "push(#{root})"
    when 2 then "reverse!"
    when 3 then "tap(&:pop)"
    when 4 then "tap { $LOAD_PATH.insert(#{random.rand(3)}, \"r1\") if $LOAD_PATH.size > 3 }"
    when 5 then "push(Pathname(#{root}))"
    else "replace(#{ROOTS.shuffle(random: random).map { |one| path(one) }.inspect})"
    end
  end

  def change(random)
    root = path(ROOTS.sample(random: random))
    other = path(ROOTS.sample(random: random))
    name = NAMES.sample(random: random)
    file = "#{root}/#{name}#{random.rand < 0.9 ? ".rb" : ".so"}"
    kind = random.rand(14)
    case kind
    when 0..4 then write(file.delete_prefix("#{@folder}/"), nested(random))
    when 5, 6 then File.delete(file)
    when 7 then File.rename(file, "#{other}/#{name}.rb")
    when 8 then FileUtils.rm_rf("#{root}/d")
    when 9
      File.rename(root, "#{root}.aside")
      File.rename(other, root)
      File.rename("#{root}.aside", other)
    when 10 then FileUtils.rm_rf(root)
    when 11
      FileUtils.rm_rf(root)
      File.symlink(other, root)
    when 12
      FileUtils.rm_rf(file)
      File.symlink("#{other}/#{name}.rb", file)
    when 13 then FileUtils.mkdir_p(file)
    end
    "#{kind} #{file} #{other}"
  rescue SystemCallError => error
    "#{kind} #{file} #{other}: #{error.class}"
  end

  def nested(random)
    name = NAMES.sample(random: random)
    random.rand < 0.2 ? "begin; require #{name.inspect}; rescue LoadError; end" : ""
  end
end
