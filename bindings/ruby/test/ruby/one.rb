# frozen_string_literal: true

# Runs one file of Ruby's own tests, for `run.rb`, which sets the load path for Ruby's test library.
#
# usage: ruby one.rb plain|curt|windows RESULTS FILE
#
# RESULTS gets a JSON object: the outcome of each test ("passed", "skipped", or the text of the
# failure), and the number of calls of each installed method.

whose, results, file = ARGV.shift(3)

def on_each_call
  places = [
    ["File.expand_path", [File.singleton_class]], ["File.absolute_path", [File.singleton_class]],
    ["Dir.children", [Dir.singleton_class]],
    ["Find.find", [Find.singleton_class, Find]],
    ["FileUtils.remove_entry", [FileUtils.singleton_class, FileUtils]],
    ["FileUtils.remove_entry_secure", [FileUtils.singleton_class, FileUtils]],
    ["FileUtils.copy_entry", [FileUtils.singleton_class, FileUtils]]
  ]
  texts = places.flat_map do |text, owners|
    owners.map { |owner| [[owner, text[/\w+\z/].to_sym], text] }
  end.to_h
  texts.each do |(owner, name), text|
    abort "#{text} is still Ruby's" if owner.instance_method(name) == Curt::ORIGINALS[text].unbind
  end
  TracePoint.new(:call, :c_call) do |point|
    text = texts[[point.defined_class, point.method_id]]
    yield text if text
  end.enable
end

calls = Hash.new(0)
if whose == "curt"
  require "curt/install"
  on_each_call { |text| calls[text] += 1 }
end

outcomes = {}
# Registered first, so that it runs after the test library's block, which runs the tests.
at_exit do
  require "json"
  File.write(results, JSON.generate(outcomes: outcomes, calls: calls))
end
require "test/unit"

Test::Unit::Runner.prepend(Module.new do
  define_method(:record) do |suite, method, assertions, time, error, *rest|
    # A test whose teardown also fails is recorded twice.
    unless error.nil? && outcomes.key?("#{suite}##{method}")
      outcomes["#{suite}##{method}"] =
        case error
        when nil then "passed"
        when Test::Unit::PendedError then "skipped"
        else "#{error.class}: #{error.message[0, 1000]}\n#{error.backtrace.first(8).join("\n")}"
        end
    end
    super(suite, method, assertions, time, error, *rest)
  end
end)

if whose == "windows"
  require_relative "windows"
  OnWindows.load(file) { |text| calls[text] += 1 }
else
  require file
end
