# frozen_string_literal: true

require "helper"

class TestRealpath < Test::Unit::TestCase
  def test_it_is_the_path_of_file_realpath
    Dir.mktmpdir do |folder|
      FileUtils.mkdir_p(long = File.join(folder, *["ä" * 100] * 15))
      File.symlink(long, link = File.join(folder, "link"))
      ["/", "/usr/bin/../lib", folder, long, link, "#{link}/.."].each do |path|
        assert_equal(File.realpath(path), Curt.realpath(path))
        assert_equal(File.realpath(path).encoding, Curt.realpath(path).encoding)
      end
    end
  end

  def test_relative_paths_begin_at_a_directory
    Dir.mktmpdir do |folder|
      FileUtils.mkdir_p("#{folder}/ä/b")
      File.symlink("ä", "#{folder}/link")
      Dir.chdir(folder) do
        [["b", "link"], ["..", "link/"], ["/usr", "link"], ["", "ä"], ["b", nil], ["b", "none"],
         ["link", ""], ["b".b, "ä"], ["b", "ä".b], ["b".encode("EUC-JP"), "link"], ["link".b],
         ["link".encode("US-ASCII")], ["b".encode("US-ASCII"), "ä"], ["ä".b]].each do |arguments|
          assert_equal(realpath(File, arguments), realpath(Curt, arguments), arguments.inspect)
        end
      end
    end
    assert_raise(TypeError) { Curt.realpath("a", 1) }
    assert_raise(ArgumentError) { Curt.realpath("a", "b", "c") }
  end

  ENCODINGS = <<~'RUBY'
    def realpath(from, path)
      full = from.realpath(path)
      [full.b, full.encoding]
    rescue SystemCallError => error
      error.class
    end

    Dir.chdir(ARGV.fetch(0))
    names = ["name", "\u00e4", "\u3042", "\xa4", "\x82\xa0", "\xff"].map(&:b)
    names.each { |name| File.write(name, "") }
    encodings = %w[UTF-8 US-ASCII ASCII-8BIT Windows-31J EUC-JP ISO-8859-5]
    encodings.product([nil, *encodings]) do |external, internal|
      Encoding.default_external, Encoding.default_internal = external, internal
      abort "not the file system's: #{external}" if Encoding.find("filesystem").name != external
      names.product(encodings) do |name, encoding|
        path = name.dup.force_encoding(encoding)
        theirs, ours = [File, Curt].map { |from| realpath(from, path) }
        puts [external, internal, path, encoding, theirs, ours].inspect if theirs != ours
      end
    end
    puts "all"
  RUBY

  def test_encodings_are_those_of_file_realpath
    Dir.mktmpdir do |folder|
      assert_equal("all\n", output_of(ENCODINGS, folder))
    end
  end

  RANDOM = <<~'RUBY'
    require "fileutils"
    Dir.chdir(ARGV.fetch(0))
    FileUtils.mkdir_p(%w[a/b/c d closed/in unread/in])
    %w[f.rb a/g.rb a/b/h.rb closed/x unread/y].each { |file| File.write(file, "") }
    links = { "dir" => "a", "file" => "f.rb", "broken" => "missing", "one" => "two", "two" => "one",
              "a/up" => "..", "full" => "#{Dir.pwd}/a", "slash" => "f.rb/", "behind" => "f.rb/..",
              "self" => "self/x", "locked" => "closed/x", "below" => "a/b/../g.rb" }
    # Ruby follows 40 links.
    1.upto(50) { |n| %w[f d a/e].each { |name| links["#{name}#{n}"] = "#{name[-1]}#{n - 1}" } }
    links.update("f0" => "f.rb", "d0" => "a", "a/e0" => "b")
    links.each { |link, target| File.symlink(target, link) }
    FileUtils.chmod(0, "closed")
    FileUtils.chmod(0o311, "unread")
    if ARGV[1] && Process.uid == 0
      FileUtils.chown_R(65_534, nil, ".")
      Process::Sys.setgid(65_534)
      Process::Sys.setuid(65_534)
    end

    def realpath(from, arguments)
      from.realpath(*arguments)
    rescue SystemCallError => error
      [error.class, error.message]
    end

    random = Random.new(seed = Random.new_seed)
    names = %w[a b c d f.rb g.rb h.rb up x y in closed unread missing . . .. .. .. ..] +
      ["", "n" * 256] + links.keys
    some = ->(most) { Array.new(random.rand(0..most)) { names.sample(random: random) }.join("/") }
    chain = lambda do
      path = %w[f d d/../f d/e d/e/..].sample(random: random)
      path.gsub(/[def]/) { |link| "#{link}#{random.rand(51)}" }
    end
    3000.times do
      path = random.rand(8) == 0 ? chain[] : some[5]
      path += ["", "", "", "/"].sample(random: random)
      path = "#{Dir.pwd}/#{path}" if random.rand(5) == 0
      arguments = [path, *(some[3] if random.rand(3) == 0)]
      theirs, ours = [File, Curt].map { |from| realpath(from, arguments) }
      puts [seed, arguments, theirs, ours].inspect if theirs != ours
    end
    puts "all"
  RUBY

  def test_random_paths_have_the_answers_of_file_realpath
    [[], ["another user"]].each do |user|
      Dir.mktmpdir do |folder|
        FileUtils.chmod(0o755, folder)
        assert_equal("all\n", output_of(RANDOM, folder, *user))
      ensure
        FileUtils.chmod(0o700, Dir["#{folder}/{closed,unread}"])
      end
    end
  end

  def test_wrong_arguments_are_rubys_errors
    assert_raise(ArgumentError) { Curt.realpath("a\0b") }
    assert_raise(TypeError) { Curt.realpath(1) }
  end

  private

  def realpath(from, arguments)
    path = from.realpath(*arguments)
    [path, path.encoding, path.frozen?]
  rescue SystemCallError => error
    [error.class, error.message[/ - (.*)/, 1]]
  end
end
