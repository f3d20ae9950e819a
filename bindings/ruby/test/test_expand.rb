# frozen_string_literal: true

require "helper"

class TestExpand < Test::Unit::TestCase
  METHODS = %i[expand_path absolute_path].freeze

  PIECES = ["/", "/", "//", "///", ".", "./", "..", "/..", "../", "a", "b.c", "...", "~", "~/",
            "~root", "~nobody-is-here", "é", "\xE9", "\x83\\", "\x95\\/", "x" * 30,
            "\0"].map(&:b).freeze

  ENCODINGS = (["UTF-8"] * 12 + %w[US-ASCII US-ASCII BINARY BINARY] + Encoding.list).freeze

  HOMES = [nil, "", "rel", "/", "//h", "/h/me", "/h/./u/../v", "/h//u//", "/h/é"].freeze

  class Path
    def initialize(text)
      @text = text
    end

    def to_path = @text
  end

  def setup
    @seed = Integer(ENV.fetch("SEED") { Random.new_seed % (1 << 32) })
    @random = Random.new(@seed)
    @home = ENV.fetch("HOME", nil)
  end

  def teardown
    ENV["HOME"] = @home
  end

  def within
    old = Dir.pwd
    Dir.mktmpdir do |folder|
      Dir.chdir(folder = File.realpath(folder))
      yield folder
    ensure
      Dir.chdir(old)
    end
  end

  def answer(receiver, method, arguments)
    full = receiver.public_send(method, *arguments)
    [full.b, full.encoding, full.class, full.frozen?, full.valid_encoding?]
  rescue StandardError => error
    [error.class, error.message.b]
  end

  def assert_as_ruby(method, *arguments)
    before = arguments.map { |argument| argument.dup if argument.is_a?(String) }
    theirs = answer(File, method, arguments)
    ours = answer(Curt, method, arguments)
    assert_equal(before, arguments.map { |argument| argument if argument.is_a?(String) })
    return if theirs == ours

    shown = arguments.map do |argument|
      argument.is_a?(String) ? "#{argument.b.inspect} in #{argument.encoding}" : argument.inspect
    end
    flunk("SEED=#{@seed}: #{method} of #{shown.join(", ")} from #{working_directory}, " \
          "HOME=#{ENV["HOME"].inspect}: #{theirs} is Ruby's, #{ours} curt's")
  end

  def working_directory
    Dir.pwd
  rescue Errno::ENOENT
    "nowhere"
  end

  def text
    count = @random.rand(5)
    bytes = Array.new(count) { PIECES.sample(random: @random) }.join
    bytes *= 150 if @random.rand(500).zero?
    text = bytes.force_encoding(ENCODINGS.sample(random: @random))
    @random.rand(4).zero? ? text.freeze : text
  end

  def argument
    case @random.rand(30)
    when 0 then Path.new(text)
    when 1 then nil
    when 2 then :symbol
    else text
    end
  end

  def assert_random_paths_as_ruby(count)
    count.times do
      arguments = [argument]
      arguments << argument if @random.rand(3).positive?
      METHODS.each { |method| assert_as_ruby(method, *arguments) }
    end
  end

  def test_random_paths_are_those_of_ruby
    within do |folder|
      Dir.mkdir(accented = File.join(folder, "é"))
      [folder, accented, "/"].product(HOMES).each do |directory, home|
        ENV["HOME"] = home
        Dir.chdir(directory)
        assert_random_paths_as_ruby(400)
      end
    end
  end

  def test_random_paths_with_another_encoding_of_the_system
    old, verbose, $VERBOSE = Encoding.default_external, $VERBOSE, nil
    %w[US-ASCII ISO-8859-1 EUC-JP].each do |encoding|
      Encoding.default_external = encoding
      within { assert_random_paths_as_ruby(400) }
    end
  ensure
    Encoding.default_external = old
    $VERBOSE = verbose
  end

  def test_long_texts
    within do
      [10, 2040, 4080, 5000].product([10, 2040, 4080, 5000]).each do |path, dir|
        (path..path + 20).each do |length|
          METHODS.each do |method|
            assert_as_ruby(method, "a" * length)
            assert_as_ruby(method, "/" + "a" * length)
            assert_as_ruby(method, "#{"a" * length}/../b/.", "/#{"c" * dir}/../d")
            assert_as_ruby(method, "a" * length, "b" * dir)
          end
        end
      end
    end
  end

  def test_a_deep_working_directory
    within do
      18.times do |depth|
        Dir.mkdir(name = "d" * 200)
        Dir.chdir(name)
        METHODS.each { |method| assert_as_ruby(method, "x/../y#{depth}") }
      end
    end
  end

  def test_arguments
    [[], [1], [nil], ["a", 1], ["a", "b", "c"], [{ "a" => 1 }], ["a", { flavor: :posix }], ["a\0"],
     ["/", "a\0"], ["/", "a".encode("UTF-16LE")], ["a".encode("UTF-16BE")],
     ["+AGE".dup.force_encoding("UTF-7")], [Path.new(1)], [BasicObject]].each do |arguments|
      METHODS.each { |method| assert_as_ruby(method, *arguments) }
    end
    raises = Object.new
    def raises.to_path = raise(IOError, "no path")
    assert_raise_message("no path") { Curt.expand_path(raises) }
    assert_raise_message("no path") { Curt.expand_path("/a", raises) }
    assert_raise(UncaughtThrowError) { Curt.expand_path(Class.new { def to_path = throw(:x) }.new) }
  end

  def test_a_path_that_the_directory_changes
    path = +"/a/./b"
    dir = Object.new
    dir.define_singleton_method(:to_path) { path.replace("\0" * 100) && "/c" }
    assert_equal("/a/b", Curt.expand_path(path, dir))
  end

  def test_the_result_is_a_new_string
    path = "/usr/lib/ruby/set.rb"
    METHODS.each do |method|
      [path, +"/a", Class.new(String).new("/a/b"), "/#{"x" * 5000}"].each do |clean|
        full = Curt.public_send(method, clean)
        assert_equal(clean, full)
        assert_not_same(clean, full)
        assert_instance_of(String, full)
        full << "changed"
        assert_not_equal(clean, full)
      end
    end
  end

  def assert_here
    METHODS.each { |method| assert_equal(File.join(Dir.pwd, "x"), Curt.public_send(method, "x")) }
  end

  def test_the_working_directory_is_followed
    within do
      FileUtils.mkdir_p(%w[a/b c])
      assert_here
      Dir.chdir("a") do
        assert_here
        Dir.chdir("b") do |path|
          assert_equal("b", path)
          assert_here
        end
        assert_here
        FileUtils.cd("b") { assert_here }
        assert_here
      end
      assert_here
      Dir.chdir("a")
      assert_here
      Dir.chdir("..")
      assert_here
      assert_raise(Errno::ENOENT) { Dir.chdir("missing") }
      assert_here
      assert_equal(:value, Dir.chdir("a") { :value })
    end
  end

  def test_the_working_directory_after_blocks_that_do_not_return
    within do
      Dir.mkdir("a")
      inside = proc do
        assert_here
        raise IOError
      end
      assert_raise(IOError) { Dir.chdir("a", &inside) }
      assert_here
      assert_equal(1, Dir.chdir("a") { break 1 })
      assert_here
      assert_equal(2, catch(:out) { Dir.chdir("a") { throw :out, 2 } })
      assert_here
      assert_equal(3, Dir.chdir("a") { next 3 })
      assert_here
    end
  end

  def test_the_working_directory_changed_by_a_descriptor
    omit("this Ruby has no Dir.fchdir") unless Dir.respond_to?(:fchdir)
    within do |folder|
      Dir.mkdir("a")
      Dir.open("a") do |dir|
        assert_equal(METHODS, Dir.fchdir(dir.fileno) { assert_here })
        assert_here
        dir.chdir { assert_here }
        assert_here
        dir.chdir
        assert_here
        Dir.open(folder) { |outer| Dir.fchdir(outer.fileno) }
        assert_here
      end
    end
  end

  def test_the_working_directory_in_threads
    within do |folder|
      Dir.mkdir("a")
      go, gone = Queue.new, Queue.new
      thread = Thread.new do
        Array.new(2) { gone << Curt.expand_path("x") && go.pop && Curt.expand_path("x") }
      end
      assert_equal(File.join(folder, "x"), gone.pop)
      Dir.chdir("a")
      go << true
      assert_equal(File.join(folder, "a/x"), gone.pop)
      go << true
      assert_equal([File.join(folder, "a/x")] * 2, thread.value)
      Thread.new { Dir.chdir("..") }.join
      assert_here
    end
  end

  def in_child
    IO.pipe do |reader, writer|
      child = fork do
        reader.close
        yield writer
        writer.close
        exit!(0)
      end
      writer.close
      Process.wait(child)
      reader.read
    end
  end

  def test_the_working_directory_after_fork
    within do |folder|
      Dir.mkdir("a")
      assert_here
      printed = in_child do |writer|
        writer.print(Curt.expand_path("x"), "\n")
        Dir.chdir("a")
        writer.print(Curt.expand_path("x"))
      end
      assert_equal("#{folder}/x\n#{folder}/a/x", printed)
      assert_here
      printed = in_child do |writer|
        Process.daemon(false, true)
        writer.print(Curt.expand_path("x"))
      end
      assert_equal("/x", printed)
    end
  end

  def test_the_working_directory_in_ractors
    within do |folder|
      Dir.mkdir("a")
      script = <<~'RUBY'
        Curt.expand_path("x")
        ractor = Ractor.new do
          first = Curt.expand_path("x/../y")
          Dir.chdir("a")
          [first, Curt.expand_path("x"), Curt.expand_path("~x", "/b")]
        rescue ArgumentError => error
          [first, Curt.expand_path("x"), error.message]
        end
        puts ractor.respond_to?(:value) ? ractor.value : ractor.take, Curt.expand_path("x")
      RUBY
      expected = ["#{folder}/y", "#{folder}/a/x", "user x doesn't exist", "#{folder}/a/x", ""]
      assert_equal(expected.join("\n"), output_of(script))
    end
  end

  def test_a_root_that_was_changed
    omit("not root") unless Process.uid.zero?
    within do
      Dir.mkdir("a")
      Dir.chdir("a")
      assert_here
      printed = in_child do |writer|
        Dir.chroot(".")
        writer.print(Curt.expand_path("x"))
      end
      assert_equal("/x", printed)
    end
  end

  def test_a_working_directory_that_was_renamed_or_removed
    within do |folder|
      Dir.mkdir("a")
      Dir.chdir("a")
      assert_here
      File.rename("#{folder}/a", "#{folder}/b")
      Curt.refresh
      assert_equal("#{folder}/b/x", Curt.expand_path("x"))
      Dir.rmdir("#{folder}/b")
      assert_nil(Curt.refresh)
      METHODS.each { |method| assert_as_ruby(method, "x") }
      assert_equal("/x", Curt.expand_path("/x"))
    end
  end

  def test_no_home
    ["root", "nobody"].each { |user| assert_as_ruby(:expand_path, "~#{user}/x/..") }
    HOMES.each do |home|
      ENV["HOME"] = home
      [["~"], ["~/x"], ["~/.."], ["x", "~"], ["/x", "~"], ["x", "~nobody-is-here"]].each do |paths|
        assert_as_ruby(:expand_path, *paths)
      end
    end
  end

  def windows(path, *dir, method: :expand_path)
    Curt.public_send(method, path, *dir, flavor: :windows)
  end

  # From Ruby's own tests on Windows, and its source.
  def test_windows_paths
    ENV["HOME"] = "C:\\Users\\me"
    [%w[c:/ c:/], %w[C:\\a\\ C:/a], %w[c:/foo/. c:/foo], %w[d:x d:/x],
     %w[//srv/shr/ //srv/shr], %w[//srv //srv], %w[// //],
     %w[~ C:/Users/me], %w[~/x C:/Users/me/x], %w[~\\.. C:/Users],
     %w[c:/aaa::$DATA c:/aaa], %w[c:/aa:a:$DATA c:/aa:a], %w[c:/aaa:$DATA c:/aaa:$DATA],
     %w[c:/b/nul //./nul], %w[\\\\?\\C:\\x\\.. //?/C:], ["c:/a. . ", "c:/a"],
     %w[c:/a/./b/../c. c:/a/c], %w[C:/é\\x C:/é/x]].each do |path, full|
      assert_equal(full, windows(path))
    end
    [%w[x c:/base c:/base/x], ["", "c:/base", "c:/base"], %w[c:x c:/base c:/base/x],
     %w[/x c:/base c:/x], %w[/x //srv/shr/base //srv/shr/x], %w[x //srv/shr/base //srv/shr/base/x],
     %w[//other/y //srv/shr/base //other/y], %w[x ~ C:/Users/me/x], %w[x ~/b C:/Users/me/b/x],
     %w[c:/x ~me c:/x], %w[..\\b. C:/x/a C:/x/b], %w[~:x ~:/y ~:/y/x]].each do |path, dir, full|
      assert_equal(full, windows(path, dir))
    end
    assert_equal("C:/a/~", windows("~", "C:/a", method: :absolute_path))
    assert_equal("C:/a/~me", windows("~me", "C:/a", method: :absolute_path))
    assert_equal("C:/~me/x", windows("x", "C:/~me", method: :absolute_path))
  end

  def test_windows_failures
    ENV["HOME"] = "C:/h"
    [["x"], [""], ["x", "base"], ["/x"], ["\\x", "base"]].each do |arguments|
      METHODS.each { |method| assert_raise(ArgumentError) { windows(*arguments, method: method) } }
    end
    assert_raise_message("can't find user me") { windows("~me\\x") }
    assert_raise_message("can't find user mé") { windows("x", "~mé/x") }
    assert_raise(ArgumentError) { windows("C:/\0") }
    assert_raise(ArgumentError) { windows("C:/", "\0") }
    assert_raise(TypeError) { windows(1) }
    ENV["HOME"] = "/h"
    assert_raise_message("non-absolute home") { windows("~") }
    assert_raise_message("non-absolute home") { windows("x", "~") }
  end

  def test_windows_homes
    names = %w[HOME HOMEDRIVE HOMEPATH USERPROFILE]
    old = ENV.values_at(*names)
    names.each { |name| ENV.delete(name) }
    assert_raise_message("couldn't find HOME environment -- expanding `~'") { windows("~") }
    ENV["USERPROFILE"] = "C:\\p"
    assert_equal("C:/p/x", windows("~/x"))
    ENV["HOMEDRIVE"] = "D:"
    assert_raise(ArgumentError) { windows("~") }
    ENV["HOMEPATH"] = "\\d"
    assert_equal("D:/d/x", windows("~/x"))
    ENV["HOME"] = "//srv/shr/é"
    assert_equal("//srv/shr/é/x", windows("~/x"))
    assert_equal("//srv/shr/é/ä", windows("~/ä".encode("ISO-8859-1")).encode("UTF-8"))
  ensure
    names.zip(old) { |name, value| ENV[name] = value }
  end

  def test_windows_encodings
    [["Windows-31J", "C:/\x95\\", "C:/\x95\\"], ["Shift_JIS", "C:/a\\\x83\\\\..\\b", "C:/a/b"],
     ["CP932", "C:/\x83\\.", "C:/\x83\\"], ["ISO-8859-1", "C:\\x\\\xE9.\\", "C:/x/\xE9"],
     ["Big5", "C:/\xB5\\", "C:/\xB5\\"], ["BINARY", "C:/\x81\xFF/..\\\xE9", "C:/\xE9"],
     ["US-ASCII", "C:\\\xE9", "C:/\xE9"], ["US-ASCII", "C:\\a", "C:/a"],
     ["UTF-8", "C:\\\xFF.\\a", "C:/\xFF/a"], ["EUC-JP", "C:/a\\\xB5\xDC", "C:/a/\xB5\xDC"],
     ["Windows-31J", "\x83\\:\\x", "\x83\\:/x"]].each do |name, path, full|
      encoding = Encoding.find(name)
      result = windows(path.dup.force_encoding(encoding))
      assert_equal([full.b, encoding], [result.b, result.encoding])
      result = windows("x", (+"C:/b").force_encoding(encoding))
      assert_equal(["C:/b/x", Encoding::UTF_8], [result, result.encoding])
    end
    assert_equal("C:/\x95\\/x".dup.force_encoding("CP932"),
                 windows("x", "C:\\\x95\\".dup.force_encoding("CP932")))
    ENV["HOME"] = "C:/h"
    assert_equal(Encoding.find("filesystem"), windows("~".encode("CP932")).encoding)
    assert_equal(Encoding::CP932, windows("~:x".encode("CP932")).encoding)
    assert_raise(Encoding::CompatibilityError) { windows("C:/".encode("UTF-16LE")) }
    assert_raise(Encoding::CompatibilityError) { windows("C:/", "C:/".encode("UTF-16LE")) }
    assert_raise(Encoding::CompatibilityError) { windows("é", "C:/é".encode("ISO-8859-1")) }
    invalid = "C:/\xFF".dup.force_encoding("EUC-JP")
    assert_raise(Encoding::InvalidByteSequenceError) { windows(invalid) }
  end

  def test_flavors
    [nil, :posix].each do |flavor|
      assert_equal("/a/b", Curt.expand_path("b", "/a/./", flavor: flavor))
      assert_equal("/a", Curt.absolute_path("/a/.", flavor: flavor))
      assert_equal("/a", Curt.absolute_path("/a/.", nil, flavor: flavor))
    end
    assert_equal("/a", Curt.expand_path("/a", **{}))
    options = { flavor: :windows }.freeze
    assert_equal("C:/a", Curt.expand_path("C:\\a", **options))
    assert_raise_message("flavor must be :windows, :posix or nil, not :dos") do
      Curt.expand_path("a", flavor: :dos)
    end
    assert_raise(ArgumentError) { Curt.expand_path("a", flavor: "windows") }
    assert_raise(ArgumentError) { Curt.expand_path("a", flavour: :windows) }
    assert_raise(ArgumentError) { Curt.expand_path(flavor: :windows) }
    assert_raise(ArgumentError) { Curt.expand_path("a", "b", "c", flavor: :windows) }
  end

  def test_under_stress
    ENV["HOME"] = "C:/\u00e9"
    within do |folder|
      assert_equal("all\n", output_of(<<~'RUBY', folder))
        Path = Struct.new(:to_path)
        path, dir = "~/\u00e4".encode("CP1252"), "C:/\u00f6".encode("CP1252")
        # Load the converters first.
        [path, dir].each { |text| text.encode("UTF-8").encode("CP1252") }
        windows = { flavor: :windows }
        GC.stress = true
        full = [Curt.expand_path("a/../#{"b" * 40}"), Curt.expand_path("\u00e9", "/c/#{"d" * 40}"),
                Curt.expand_path(path, **windows), Curt.expand_path("x", dir, **windows),
                Curt.expand_path("C:\\#{"x" * 40}\\..\\y", **windows),
                Curt.expand_path(Path.new("a".b), Path.new("/\u00e9"))]
        GC.stress = false
        expected = ["#{ARGV[0]}/#{"b" * 40}", "/c/#{"d" * 40}/\u00e9",
                    "C:/\u00e9/\u00e4".encode("CP1252"), "C:/\u00f6/x".encode("CP1252"), "C:/y",
                    "/\u00e9/a"]
        puts full == expected ? "all" : full.inspect
      RUBY
    end
  end
end
