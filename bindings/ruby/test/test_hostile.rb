# frozen_string_literal: true

require "helper"
require "json"

class TestHostile < Test::Unit::TestCase
  TABLE = JSON.parse(File.read(File.expand_path("../../../tests/hostile.json", __dir__)))
  VERDICTS = TABLE["verdicts"].to_h { |name, _, number, text| [name, [number.to_i, text]] }

  ITSELF = %w[same-entry into-itself].freeze

  OPERATIONS = {
    "root.open" => ->(root, path) { root.open(path, &:read) },
    "root.create" => ->(root, path) { root.open(path, "w", &:path) },
    "root.create_new" => ->(root, path) { root.open(path, "wx", &:path) },
    "remove" => ->(_, path) { Curt.rm_r(path) },
    "list" => ->(_, path) { Curt.children(path) },
    "usage" => ->(_, path) { Curt.usage(path) },
    "realpath" => ->(_, path) { Curt.realpath(path) },
    # An existing directory gets the source as an entry.
    "copy_replace_into" => ->(_, paths) { Curt.cp_r(*paths.split(" -> "), dereference_root: false) }
  }.freeze

  def setup
    @folder = Dir.mktmpdir("curt")
  end

  def teardown
    FileUtils.remove_entry(@folder)
  end

  def test_hostile_cases_have_their_verdicts
    changes = "all"
    wrong = TABLE["cases"].flat_map do |operation, path, verdict, result = ""|
      scope = { in_root: operation.start_with?("inroot"), strict: operation.start_with?("strict") }
      pattern = operation.sub(/inroot|strict/, "root")
      OPERATIONS.filter_map do |name, act|
        next unless File.fnmatch(pattern, name)

        Dir.chdir(@folder) { shell("setup") } unless changes.empty?
        Dir.chdir("#{@folder}/t") do
          answer = Curt::Root.open("in", **scope) { |root| act.call(root, path) } rescue $!
          answer = "" unless name == "root.open" || answer.is_a?(Exception)
          changes = shell("look")
          [name, path, answer, changes] unless right?(answer, path, verdict, result, changes)
        end
      end
    end
    assert_empty(wrong)
  end

  private

  def right?(answer, path, verdict, result, changes)
    return verdict == "ok" && answer + changes == result unless answer.is_a?(Exception)
    return changes.empty? && ITSELF.include?(verdict) if answer.is_a?(ArgumentError)

    number, text = VERDICTS[verdict]
    changes.empty? && answer.is_a?(SystemCallError) && answer.errno == number &&
      answer.message.include?(text) &&
      [path, *path.split(" -> ")].any? { |part| answer.message.include?(part) }
  end

  def shell(name)
    IO.popen(["sh", "-c", TABLE[name].join("\n")], &:read).split.join(" ")
  end
end
