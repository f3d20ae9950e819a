# frozen_string_literal: true

require "curt"

# Runs Ruby's own tests as if on Windows. The tests see the constants of this module, curt expands
# paths under Windows rules, and no file is touched.
module OnWindows
  RUBY_PLATFORM = "x64-mingw-ucrt"
  TESTS = "/TestPath#test_path\\z|ignore_nil_dir|absolute_path\\z|expand_path(?!.*mem)/"

  # Windows has a working directory for each drive; curt needs it as an argument.
  WORKING = Hash.new { |_, drive| "#{drive}/" }.update("C:" => "C:/work", "c:" => "c:/work").freeze

  class Dir < ::Dir
    def self.pwd
      WORKING["C:"]
    end
  end

  class File < ::File
    ALT_SEPARATOR = "\\"

    def self.expand_path(path, dir = nil)
      full(:expand_path, path, dir)
    end

    def self.absolute_path(path, dir = nil)
      full(:absolute_path, path, dir)
    end

    def self.full(method, path, dir)
      OnWindows.count.call("Curt.#{method}")
      drive = path.is_a?(String) && path.b[/\A[a-z]:/i]
      working = WORKING[drive || "C:"]
      # A relative directory starts at the working directory of the drive. A path also starts there
      # if the directory is on a different drive.
      is_home = method == :expand_path && dir&.start_with?("~")
      dir = Curt.public_send(method, dir, working, flavor: :windows) unless dir.nil? || is_home
      dir = working if dir.nil? || drive && !dir.downcase.start_with?(drive.downcase)
      Curt.public_send(method, path, dir, flavor: :windows)
    end
    private_class_method :full
  end

  class << self
    attr_reader :count

    def load(file, &count)
      @count = count
      ENV["HOME"] = "C:/Users/me"
      ARGV.push("-n", TESTS)
      module_eval(::File.read(file), file)
      without_files(self::TestFileExhaustive) if const_defined?(:TestFileExhaustive, false)
    end

    private

    def without_files(test)
      test.class_eval do
        def setup
          @dir = "C:/tmp/test"
        end

        def teardown
        end

        def make_file(content, file)
        end
      end
    end
  end
end
