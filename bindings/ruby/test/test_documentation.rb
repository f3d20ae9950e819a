# frozen_string_literal: true

require "helper"
require "open3"
require "rbconfig"
require "signatures"

# Runs the Ruby blocks of README.md, and in RDoc comments the indented lines after an empty line.
# `# => VALUE` is the expected `inspect` text of the expression before it, and `# raises CLASS` the
# expected exception. Each example runs beside a folder `project`, and `root` is a Curt::Root of it.
# With the gem `rbs`, calls are checked against the signatures.
class TestDocumentation < Test::Unit::TestCase
  GEM = File.expand_path("..", __dir__)

  def self.verbatim(comment)
    is_code = was_empty = false
    text = comment.gsub(/^ *call-seq:.*?(^ *$|\z)/m, "")
    margin = text.scan(/^ *(?=\S)/).map(&:size).min
    text.lines.select do |line|
      is_empty = line.strip.empty?
      is_indented = line.match?(/\A {#{margin.to_i + 2}}/)
      is_code = is_indented && (is_code || was_empty) || is_code && is_empty
      was_empty = is_empty
      is_code
    end.join
  end

  def self.examples
    found = Dir[File.join(GEM, "{lib/**/*.rb,ext/**/*.c}")].sort.flat_map do |file|
      is_c = file.end_with?(".c")
      comments = File.read(file).scan(is_c ? %r{^ */\*.*?\*/}m : /(?:^ *#.*\n)+/)
      comments.map do |comment|
        marks = is_c ? %r{^ *(/\*| \*/|\*/| \*)|\*/$} : /^ *#/
        [File.basename(file), verbatim(comment.gsub(marks, ""))]
      end
    end
    ["README.md", "../../docs/cookbook.md"].each do |page|
      text = File.read(File.join(GEM, page))
      found += text.scan(/^```ruby\n(.*?)^```/m).map { |(code)| [File.basename(page), code] }
    end
    found.reject { |_, code| code.strip.empty? }
  end

  def make_project
    FileUtils.mkdir_p(["project/build", "project/src"])
    %w[project/README project/build/a.o project/src/main.rb].each { |path| File.write(path, "text") }
  end

  def run_example(code)
    reader, writer = IO.pipe
    Signatures.environment if Signatures.available?
    process = fork do
      ENV["HOME"] = Dir.pwd
      $stdout.reopen(writer)
      $VERBOSE = nil
      Signatures.check if Signatures.available?
      TOPLEVEL_BINDING.local_variable_set(:root, Curt::Root.open("project"))
      exit!(evaluate(code) ? 0 : 1)
    rescue Exception => error
      $stdout.puts(error.full_message(highlight: false))
      $stdout.flush
      exit!(1)
    end
    writer.close
    output = reader.read
    Process.wait(process)
    assert($?.success?, output)
  end

  def evaluate(code)
    code.split(/^(.*# ?(?:=>|raises) .*\n)/).each_slice(2).all? do |before, last|
      line, mark, expected = last.to_s.partition(/# ?(?:=>|raises) /)
      begin
        value = TOPLEVEL_BINDING.eval(before + line)
        found = mark.end_with?("=> ") ? value.inspect : "nothing raised"
      rescue StandardError => error
        raise unless mark.end_with?("raises ")
        found = error.class.name
      end
      next true if mark.empty? || found == expected.strip
      $stdout.puts("#{line}#{mark}#{expected.strip}, but it is #{found}")
      $stdout.flush
      false
    end
  end

  examples.each_with_index do |(where, code), index|
    name = code[/Curt[\w.:]*|require "[^"]*"/]
    test "example #{index} of #{where}: #{name}" do
      assert_empty(code.lines.grep(/rm_|remove_/).grep(%r{["'][/~]}))
      Dir.mktmpdir do |folder|
        Dir.chdir(folder) do
          make_project
          run_example(code)
        end
      end
    end
  end

  def test_public_methods_have_signatures
    omit("the gem rbs is not installed") unless Signatures.available?
    assert_empty(Signatures.differences)
  end

  def test_everything_is_documented
    files = Dir[File.join(GEM, "{lib/**/*.rb,ext/**/*.c}")]
    files.reject! { |file| file.match?(%r{/(install|lookup)\.\w+\z}) }
    command = [RbConfig.ruby, "-rrdoc/rdoc", "-e", "RDoc::RDoc.new.document(ARGV)", "--"]
    report, = Open3.capture2e(*command, "--coverage-report", "--quiet", *files)
    assert_match(/100\.0+% documented/, report)
    # RDoc must have seen all methods, except the members of a Struct.
    counted = Integer(report[/^ *Methods: +(\d+)/, 1])
    public_methods = Signatures.public_methods.reject { |(one, _), _| one < Struct }
    assert_operator(counted, :>=, public_methods.values.sum(&:size), report)
  end
end
