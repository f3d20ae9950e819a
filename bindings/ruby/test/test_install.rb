# frozen_string_literal: true

require "helper"
require "etc"
require "find"
require "pathname"
require "rbconfig"
require "stringio"
require "tempfile"

class TestInstall < Test::Unit::TestCase
  def in_child(install)
    Dir.mkdir(work = File.join(@folder, "work"))
    reader, writer = IO.pipe
    child = fork do
      require "curt/install" if install
      Dir.chdir(work)
      writer.write(Marshal.dump(yield))
      exit!(0)
    rescue Exception => error # rubocop:disable Lint/RescueException
      writer.write(error.full_message(highlight: false))
      exit!(1)
    end
    writer.close
    text = reader.binmode.read
    Process.wait(child)
    assert($?.success?, text)
    Marshal.load(text)
  ensure
    reader.close
    FileUtils.chmod_R(0o700, work)
    FileUtils.rm_rf(work)
  end

  def installed(&block)
    in_child(true, &block)
  end

  def beside(&block)
    expected = in_child(false, &block)
    assert_equal(expected, in_child(true, &block))
    expected
  end

  def outcome
    result = yield
    [result, *[result].flatten.grep(String).map { |text| [text.encoding, text.frozen?] }]
  rescue SystemCallError => error
    [error.class, error.message.sub(/ @ \w+/, "")]
  rescue StandardError, LocalJumpError => error
    [error.class, error.message.gsub(/0x\h+/, "")]
  end

  def tree
    Dir.glob("**/*", File::FNM_DOTMATCH).sort
  end

  def setup
    @folder = File.realpath(Dir.mktmpdir)
  end

  def teardown
    FileUtils.rm_rf(@folder)
  end

  def ruby(*arguments)
    load_path = $LOAD_PATH.first(3).flat_map { |folder| ["-I", folder] }
    command = [RbConfig.ruby, *load_path, *arguments]
    Dir.chdir(@folder) { IO.popen(command, err: %i[child out], &:read) }
  end

  def test_each_method_is_replaced_once_and_without_a_warning
    assert_equal("", ruby("-w", "-e", <<~SCRIPT))
      require "curt/install"
      current = -> { Curt::ORIGINALS.to_h { |text, _| [text, eval(text.sub(".", ".method :"))] } }
      first = current.call
      Curt::ORIGINALS.each { |text, original| puts text if first[text] == original }
      require "curt/install"
      $VERBOSE = nil
      load "curt/install.rb"
      Curt::ORIGINALS.each { |text, original| puts text if current.call[text] == original }
    SCRIPT
  end

  OTHERS = {
    "a stub" => "place.define_singleton_method(name) { |*| :theirs }",
    "a stub in front" => <<~RUBY,
      place.singleton_class.prepend(Module.new { define_method(name) { |*| :theirs } })
    RUBY
    "another method" => "place.singleton_class.alias_method(name, :name)",
    "none" => "place.singleton_class.undef_method(name)",
    "another module" => <<~'RUBY',
      fake = place.instance_of?(Module) ? Module.new : Class.new(place)
      fake.define_singleton_method(:name) { place.name }
      fake.define_singleton_method(:to_s) { place.name }
      fake.define_singleton_method(name) { |*| :theirs }
      Object.const_set(text[/\w+/], fake)
    RUBY
    "its copy in classes" => "place.define_method(name) { |*| :theirs }"
  }.freeze

  def test_methods_of_others_remain
    names = %w[File.expand_path File.absolute_path Dir.children Find.find FileUtils.remove_entry
               FileUtils.remove_entry_secure FileUtils.copy_entry]
    names.product(OTHERS.keys).each do |text, other|
      next if other == "its copy in classes" && text.match?(/\A(File|Dir)\./)

      answer = ruby("-W1", "-e", <<~SCRIPT, text)
        require "curt"; require "fileutils"; require "find"
        text = ARGV[0]
        place, name = Object.const_get(text[/\\w+/]), text[/\\w+\\z/].to_sym
        $VERBOSE = nil
        #{OTHERS[other]}
        $VERBOSE = false
        look = -> { eval(text.sub(".", ".method :")).unbind rescue nil }
        before = look.call
        require "curt/install"
        print look.call == before && !Curt::ORIGINALS.key?(text)
      SCRIPT
      expected = /\Acurt.install leaves .*#{text}.* alone: (it is|they are) not .*\n?true\z/
      assert_match(expected, answer, "#{text}: #{other}")
    end
  end

  def test_mocks_of_called_methods_protect_files
    %w[File.unlink Dir.rmdir].product([true, false]) do |text, is_first|
      answer = ruby("-W1", "-e", <<~SCRIPT)
        require "curt/install" unless #{is_first}
        #{text.sub(".", ".define_singleton_method(:")}) { |*| raise IOError, "mocked" }
        require "curt/install"
        FileUtils.mkdir_p("a/b"); FileUtils.touch("a/f")
        %i[rm_r remove_entry_secure].each do |name|
          FileUtils.public_send(name, #{text.start_with?("File") ? "'a/f'" : "'a/b'"})
        rescue IOError
          print File.exist?("a/b"), File.exist?("a/f")
        end
      SCRIPT
      names = "FileUtils.remove_entry, FileUtils.remove_entry_secure"
      warning = /\Acurt.install leaves #{names} alone.*\n/
      assert_equal("true" * 4, is_first ? answer.sub(warning, "") : answer)
      assert_match(warning, answer) if is_first
    end
  end

  class PathLike
    def initialize(path)
      @path = path
    end

    def to_path
      raise IndexError, "no path" unless @path

      @path
    end
  end

  ARGUMENTS = [
    [], ["a"], ["a/../b"], ["/a/./b//"], ["a", "/b"], ["a", "b"], ["a", nil], ["../..", "/x"],
    ["~"], ["~/a"], ["~root/x"], ["~nobody-is-here"], ["a", "~"], ["", ""], [nil], [1], ["a", 1], ["a\0b"],
    ["a", "b\0"], ["a", "b", "c"], ["ä", "/ö"], ["\xFF".b, "/a"], ["ä", "/ö".encode("CP1252")],
    ["a".encode("UTF-16LE")], ["a".encode("US-ASCII")], [+"not frozen"], [Pathname("a/..")],
    [PathLike.new("x"), PathLike.new("/y")], [PathLike.new(nil)], [PathLike.new(1)], [["a"]], [:a],
    [{}], ["a", {}]
  ].freeze

  def shape(method)
    [method.arity, method.parameters.map(&:first) - [:block]]
  end

  def test_methods_accept_the_arguments_of_ruby
    different = installed do
      pairs = Curt::ORIGINALS.map { |text, own| [eval(text.sub(".", ".method :")), own] }
      [Dir, Dir.singleton_class, Process.singleton_class].each do |place|
        before = place.ancestors.take_while { |one| one != place }
        ours = before.select { |one| one.name.to_s.start_with?("Curt::") }
        ours.flat_map { |one| one.instance_methods(false) }.each do |name|
          method = place.instance_method(name)
          pairs << [method, method.super_method]
        end
      end
      raise "only #{pairs.size}" if pairs.size < Curt::ORIGINALS.size + 3

      pairs.reject { |own, theirs| shape(own) == shape(theirs) }.map(&:inspect)
    end
    assert_empty(different)
  end

  def test_full_paths_are_those_of_ruby
    %i[expand_path absolute_path].each do |name|
      answers = beside do
        Dir.mkdir("sub")
        here = ARGUMENTS.map { |arguments| outcome { File.public_send(name, *arguments) } }
        keywords = [outcome { File.public_send(name, "a", flavor: nil) },
                    outcome { File.public_send(name, "a", **{}) },
                    outcome { Class.new(File).public_send(name, "a") }]
        below = Dir.chdir("sub") { File.public_send(name, "a") }
        here + keywords + [below, File.public_send(name, "a")]
      end
      assert_equal(%w[sub/a a].map { |path| File.join(@folder, "work", path) }, answers.last(2))
    end
  end

  def test_children_are_those_of_ruby
    answers = beside do
      Dir.mkdir("sub")
      FileUtils.touch(["sub/a", "sub/ä", "sub/.b", "sub/\xFF"])
      calls = ARGUMENTS.map { |arguments| -> { Dir.children(*arguments) } }
      calls += [nil, "UTF-8", Encoding::ISO_8859_1, "UTF-16LE", "none", 1].map do |encoding|
        -> { Dir.children("sub", encoding: encoding) }
      end
      calls += [-> { Dir.children("sub") }, -> { Dir.children(Pathname("sub")) },
                -> { Dir.children("sub/a") }, -> { Dir.children("sub", other: 1) },
                -> { Pathname("sub").children }]
      calls.map { |call| outcome { call.call.sort } }
    end
    assert_equal([4, 4], answers.last(5).first(2).map { |answer, *| answer.size })
  end

  def test_find_yields_the_paths_of_ruby
    answers = beside do
      FileUtils.mkdir_p(%w[a/b/c a/ä a/b-c])
      FileUtils.touch(%w[a/b/x a/b.c a/z])
      File.symlink("b", "a/link")
      File.symlink("nowhere", "dangling")
      # Ruby accepts one object with `to_path`, and fails with two.
      inside = ARGUMENTS.reject { |path, *more| path == "../.." || more.grep(PathLike).any? }
      calls = inside.map { |arguments| -> { Find.find(*arguments).to_a } }
      calls += [
        -> { Find.find("a", "a/b").to_a }, -> { Find.find("a/").to_a },
        -> { Find.find("./a").to_a }, -> { Find.find(Pathname("a")).to_a },
        -> { Find.find("a", "none").first }, -> { Find.find("a/z").to_a },
        -> { Find.find("a", ignore_error: false).to_a }, -> { Find.find("a", other: 1).to_a },
        -> { Find.find("a/link").to_a }, -> { Find.find("dangling").to_a },
        -> { Find.find("a".encode("US-ASCII")).to_a }, -> { Find.find("a").next },
        -> { Find.find("a".encode("EUC-JP")).to_a },
        -> { Find.find("a") { |path| break path if path.end_with?("c") } },
        -> { Find.find("a") { raise IndexError, "block" } },
        -> { [].tap { |all| Find.find("a") { |path| all << path; Find.prune if path == "a/b" } } },
        -> { [].tap { |all| Find.find("a", "a") { |path| all << path and Find.prune } } },
        -> { Class.new { include Find }.new.send(:find, "a").to_a },
        -> { Class.new { include Find }.new.find("a") },
        -> { Pathname("a").find.map(&:to_s) }
      ]
      calls.map { |call| outcome(&call) }
    end
    assert_equal(%w[a a/b a/b-c a/b.c a/b/c a/b/x a/link a/z a/ä], answers.last.first.sort)
  end

  REMOVALS = [
    -> { FileUtils.rm_r("a") }, -> { FileUtils.rm_r(%w[a f]) }, -> { FileUtils.rm_r(%w[f none a]) },
    -> { FileUtils.rm_r(%w[f none a], force: true) }, -> { FileUtils.rm_rf(%w[f none a]) },
    -> { FileUtils.rm_rf([["f"], [Pathname("a")]]) }, -> { FileUtils.rmtree("a") },
    -> { FileUtils.rm_r("a", noop: true) }, -> { FileUtils.rm_r("a", secure: true) },
    -> { FileUtils.rm_r("none", secure: true) }, -> { FileUtils.rm_r("a", other: 1) },
    -> { FileUtils.rm_r(1) }, -> { FileUtils.rm_r("a\0") }, -> { FileUtils.rm_r },
    -> { FileUtils.rm_r("to-a") }, -> { FileUtils.rm_r("dangling") }, -> { FileUtils.rm_r("a/") },
    -> { FileUtils.remove_dir("a") }, -> { FileUtils.remove_dir("none") },
    -> { FileUtils.remove_dir("none", true) }, -> { FileUtils.remove_entry("f") },
    -> { FileUtils.remove_entry("none") }, -> { FileUtils.remove_entry("none", true) },
    -> { FileUtils.remove_entry(nil) }, -> { FileUtils.remove_entry(nil, true) },
    -> { FileUtils.remove_entry(["a"]) }, -> { FileUtils.remove_entry("f", false, 1) },
    -> { FileUtils.remove_entry(PathLike.new(nil)) }, -> { FileUtils.remove_entry("f/x") },
    -> { FileUtils.remove_entry(PathLike.new("a")) }, -> { FileUtils.remove_entry("") },
    -> { FileUtils.remove_entry_secure("none") },
    -> { FileUtils.remove_entry_secure("none", true) },
    -> { FileUtils.remove_entry_secure(nil) }, -> { FileUtils.remove_entry_secure(nil, true) },
    -> { FileUtils.remove_entry_secure("to-a/") }, -> { FileUtils.remove_entry_secure("open/x") },
    -> { FileUtils.remove_entry_secure("open/x", true) }, -> { FileUtils.rm_rf("closed") },
    -> { FileUtils.remove_entry_secure("sticky/x") },
    -> { FileUtils.remove_entry_secure("sticky/closed") },
    # Ruby 3.1 continues, and raises the error of the nonempty directory.
    -> { FileUtils.rm_r("closed") rescue $!.is_a?(SystemCallError).to_s },
    -> { FileUtils::NoWrite.rm_rf("a") }, -> { FileUtils::NoWrite.remove_entry("a") },
    -> { FileUtils::Verbose.rm_rf("a") },
    -> { FileUtils::DryRun.rm_r("a") }, -> { Pathname("a").rmtree.to_s },
    -> { FileUtils.mv("a", "b") }, -> { Class.new { include FileUtils }.new.send(:rm_rf, "a") },
    -> { Class.new { include FileUtils }.new.remove_entry("a") },
    -> { Class.new { include FileUtils::Verbose }.new.send(:rm_r, "f") }
  ].freeze

  def plant
    FileUtils.mkdir_p(%w[a/b/c a/d open/x/y sticky/x/y sticky/closed/in/y closed/in])
    FileUtils.touch(%w[f a/f a/b/f closed/in/f])
    File.symlink("a", "to-a")
    File.symlink("nowhere", "dangling")
    File.chmod(0o777, "open")
    File.chmod(0o1777, "sticky")
    File.chmod(0, "sticky/closed/in", "closed/in")
    File.mkfifo("open/fifo", 0o642)
    File.write("a/f", "text")
    File.chmod(0o751, "a/f")
    File.chmod(0o500, "a/d")
    File.utime(1, 2, "a/f", "a/d")
  end

  def facts(path)
    found = File.lstat(path)
    text = found.file? ? File.read(path) : found.symlink? && File.readlink(path)
    [path, found.ftype, found.mode, found.mtime.to_i == 2, text]
  end

  # The results of remove_entry and copy_entry vary by Ruby version.
  def removed_or_copied(way)
    Dir.mkdir("tree")
    Dir.chdir("tree") do
      plant
      output = StringIO.new
      $stdout = output
      answer, = outcome { way.call }
      answer = nil unless [Class, String].any? { |kind| Array(answer).first.is_a?(kind) }
      File.chmod(0o700, *Dir["{,sticky/}closed/in"])
      # A copy that fails may have copied more or less than Ruby's.
      is_failed_copy = COPIES.include?(way) && answer.is_a?(Class)
      [answer, output.string, (tree.map { |path| facts(path) } unless is_failed_copy)]
    ensure
      $stdout = STDOUT
    end
  ensure
    FileUtils.rm_rf("tree")
  end

  def test_removals_and_copies_match_ruby
    users = [nil, ("nobody" if Process.uid.zero?)].uniq
    users.each do |user|
      File.chmod(0o777, @folder) if user
      (REMOVALS + COPIES).each_with_index do |way, index|
        beside do
          become(user) if user
          [index, *removed_or_copied(way)]
        end
      end
    end
  end

  COPIES = [
    -> { FileUtils.cp_r("a", "new") }, -> { FileUtils.cp_r("a", "new/") },
    -> { FileUtils.cp_r("a/.", "new") }, -> { FileUtils.cp_r("a/.", "closed") },
    -> { FileUtils.cp_r("a", "open") }, -> { FileUtils.cp_r(["a", Pathname("f")], "open") },
    -> { FileUtils.cp_r("a/.", "open") }, -> { FileUtils.cp_r("to-a", "open") },
    -> { FileUtils.cp_r("a", "new", preserve: true) }, -> { FileUtils.cp_r("to-a", "new") },
    -> { FileUtils.cp_r("to-a", "new", dereference_root: false) },
    -> { FileUtils.cp_r("to-a/", "new", dereference_root: false) },
    -> { FileUtils.cp_r("dangling", "new") }, -> { FileUtils.cp_r("none", "new") },
    -> { FileUtils.cp_r("f", "new") }, -> { FileUtils.cp_r("f/", "new") },
    -> { FileUtils.cp_r("a", "none/new") }, -> { FileUtils.cp_r("a", "f/new") },
    -> { FileUtils.cp_r("a", "f") }, -> { FileUtils.cp_r(["a"], "f") },
    -> { FileUtils.cp_r("a", ".") }, -> { FileUtils.cp_r("a", "a/new") },
    -> { FileUtils.cp_r(%w[a none f], "open") }, -> { FileUtils.cp_r("a", "dangling") },
    -> { FileUtils.cp_r("a", "new", remove_destination: true) },
    -> { FileUtils.cp_r("a", "new", noop: true) }, -> { FileUtils.cp_r("a", "new", verbose: true) },
    -> { FileUtils.cp_r("a", "new", other: 1) }, -> { FileUtils.cp_r("a") },
    -> { FileUtils.cp_r(1, "new") }, -> { FileUtils.cp_r("a", nil) },
    -> { FileUtils.cp_r("a", "new\0") }, -> { FileUtils.cp_r("closed", "new") },
    -> { FileUtils.cp_r("a", "closed/in/new") }, -> { FileUtils.copy_entry("a", "to-a") },
    -> { FileUtils.copy_entry("to-a", "new") }, -> { FileUtils.copy_entry(Pathname("a"), "new") },
    -> { FileUtils.copy_entry("a", "new", true, true) }, -> { FileUtils.copy_entry("a", nil) },
    -> { FileUtils.copy_entry("a") }, -> { FileUtils.copy_entry(PathLike.new(nil), "new") },
    -> { FileUtils::NoWrite.copy_entry("a", "new") }, -> { FileUtils::DryRun.cp_r("a", "new") },
    -> { FileUtils::Verbose.cp_r("a", "new", preserve: true) },
    -> { Class.new { include FileUtils }.new.send(:cp_r, "a", "new") },
    -> { FileUtils.cp_r("open", "new") }
  ].freeze

  def become(user)
    user = Etc.getpwnam(user)
    File.chown(user.uid, user.gid, ".")
    Process.initgroups(user.name, user.gid)
    Process::GID.change_privilege(user.gid)
    Process::UID.change_privilege(user.uid)
  end

  def test_a_renamed_working_directory_is_not_found_by_its_old_name
    beside do
      FileUtils.mkdir_p("a/b/c")
      top = Dir.pwd
      Dir.chdir("a/b")
      File.expand_path("c")
      File.rename("#{top}/a", "#{top}/away")
      FileUtils.mkdir_p("#{top}/a/b/c")
      FileUtils.remove_entry_secure("c")
      %w[a away].map { |name| File.exist?("#{top}/#{name}/b/c") }
    end => [true, false]
  end

  def test_it_works_in_ractors
    expected = [File.join(@folder, "work/b"), ["f"], %w[. ./f], []]
    answer = installed do
      Warning[:experimental] = false
      Dir.mkdir("a")
      FileUtils.touch("f")
      ractor = Ractor.new do
        FileUtils.rm_rf("a")
        FileUtils.mkdir("a")
        FileUtils.remove_entry_secure("a")
        [File.expand_path("a/../b"), Dir.children("."), Find.find(".").to_a, Dir.glob("a")]
      end
      ractor.respond_to?(:value) ? ractor.value : ractor.take
    end
    assert_equal(expected, answer)
  end

  def test_temporary_folders_and_files_go
    installed do
      ENV["TMPDIR"] = Dir.pwd
      Dir.mktmpdir { |folder| FileUtils.mkdir_p("#{folder}/a/b") }
      Tempfile.create("x") { |file| file.write("x") }
      Tempfile.new("y").close!
      assert_equal(["."], tree)
    end
  end

  PROGRAMS = [
    %w[gem env], %w[gem list --local], %w[irb --version], %w[rake --version], %w[rdoc --version],
    %w[erb --version], %w[bundle --version], ["-e", "require 'bundler'; p Bundler::VERSION"]
  ].freeze

  def test_programs_start
    PROGRAMS.each do |program, *arguments|
      start = case program
      when "-e" then ["-e"]
      when "bundle" then [Gem.bin_path("bundler", "bundle")] # not always in PATH
      else ["-S", program]
      end
      expected = ruby(*start, *arguments)
      next puts("skipped: no #{program}") if expected.include?("No such file or directory -- ")

      assert_equal(expected, ruby("-r", "curt/install", *start, *arguments), program)
    end
  end
end
