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

  # Realpath's answers beside Ruby's, with encodings that a program may be started with (-E, -U).
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

  def test_errors_are_those_of_ruby
    error = assert_raise(Errno::ENOENT) { Curt.realpath("/is/not/there") }
    assert_equal("No such file or directory @ canonicalize - /is/not/there", error.message)
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
