# frozen_string_literal: true

# Prints report 4's tables next to today's. Exits with 1 if a count is wrong.
#
# usage: ruby measure.rb GEM-FOLDER

require "rbconfig"
require "tmpdir"
require_relative "calls"
require_relative "workload"

ENV["CURT_LIBRARY"] = ARGV.fetch(0)
ROUNDS = Integer(ENV.fetch("CURT_ROUNDS", "11"))

TITLES = {
  "flat" => ["core_require_empty", "4.64", "1.89"],
  "flat-60" => ["core_require_empty"],
  "flat-90" => ["core_require_empty"],
  "nested" => ["core_require_nested", "5.23", "2.50"],
  "nested-60" => ["core_require_nested"],
  "nested-90" => ["core_require_nested"],
  "gems-60" => ["772 features", "7.29", "2.62"],
  "gems-90" => ["1,146 features", "22.62", "11.01"],
  "rails" => ["Rails"]
}.freeze
RESOLVERS = %w[plain curt bootsnap bound].freeze

PATHS = {
  "clean" => '"/usr/share/doc/ruby/examples/main.rb"',
  "with dots" => '"/usr/./lib/../share/doc/ruby/./examples/main.rb"',
  "relative" => '"lib/net/../http/./response.rb"',
  "at home" => '"~/lib"'
}.freeze
WINDOWS = '"C:/Users/Someone/../DOCUME~1/main.rb", flavor: :windows'

WRONG = []

def expect(claim, is_true)
  WRONG << claim unless is_true
end

def print_table(title, head, rows)
  puts title
  table = [head, *rows].map { |row| Array.new(head.size) { |at| row[at].to_s } }
  widths = table.transpose.map { |column| column.map(&:size).max }
  table.each do |first, *others|
    cells = others.zip(widths.drop(1)).map { |cell, width| cell.rjust(width) }
    puts [first.ljust(widths[0]), *cells].join("  ").rstrip
  end
  puts
  $stdout.flush
end

def grouped(number)
  number.to_s.gsub(/\B(?=(\d{3})+\z)/, ",")
end

def middle(values)
  values.sort[values.size / 2]
end

class Row
  def self.all(folder)
    available = {
      "curt" => File.exist?(File.join(ENV["CURT_LIBRARY"], "curt/require.rb")),
      "bootsnap" => Gem::Specification.find_all_by_name("bootsnap").any?
    }
    available.each { |name, found| puts "Left out: #{name} is not there." unless found }
    TITLES.keys.filter_map do |name|
      new(name, folder, RESOLVERS.select { |one| available.fetch(one, true) })
    rescue Gem::MissingSpecError
      puts "Left out: Rails is not there."
    end
  end

  def initialize(name, folder, resolvers)
    @name, @folder = name, folder
    @workload = Workload.plant(name, folder)
    @resolvers = @workload.rounds > 1 ? resolvers - ["bootsnap"] : resolvers
    label, @before, @after = TITLES.fetch(name)
    @title = "#{label}, #{@workload.roots} roots"
    run(*child("record", "list"))
  end

  def check_answers
    plain, *others = @resolvers.map { |one| run(*child(one, "list")).lines(chomp: true) }
    others.zip(@resolvers.drop(1)) do |files, one|
      files &= plain + Dir["#{@folder}/**/*.rb"]
      differ = (plain | files) - (plain & files)
      expect("#{@name}, #{one}: #{differ.first}", differ.empty?)
    end
  end

  def count
    calls = @resolvers.to_h do |one|
      [one, [@workload.rounds, 0].map { |rounds| Calls.of(*child(one, rounds)) }.inject(:-)]
    end
    check_counts(calls.transform_values { |all| all["openat"][1] })
    calls.map do |one, all|
      numbers = [*all["openat"], all["readlink"][0], all.all]
      ["#{@title}, #{one}", *numbers.map { |number| grouped(number) }]
    end
  end

  def time
    rounds = Array.new(ROUNDS) { @resolvers.shuffle.to_h { |one| [one, milliseconds(one)] } }
    once = @workload.rounds > 1 ? Workload::FILES * @workload.rounds / 1000 : 1
    plain = middle(rounds.map { |round| round["plain"] }) / once
    ratios = RESOLVERS.drop(1).map do |one|
      next unless @resolvers.include?(one)

      ratios = rounds.map { |round| round["plain"] / round[one] }
      format("%.2f [%.2f, %.2f]", middle(ratios), *ratios.minmax)
    end
    report = "#{@before} -> #{@after}" if @before
    [@title, report, format("%.1f %s", plain, once == 1 ? "ms" : "us"), *ratios]
  end

  private

  def child(resolver, rounds)
    file = File.join(__dir__, "child.rb")
    [RbConfig.ruby, file, resolver, @name, @folder, rounds.to_s]
  end

  # Returns the time of requiring, or of the whole process if it requires only once.
  def milliseconds(resolver)
    before = Process.times
    printed = run(*child(resolver, @workload.rounds))
    after = Process.times
    return Integer(printed) / 1e6 if @workload.rounds > 1

    1000 * (after.cutime + after.cstime - before.cutime - before.cstime)
  end

  # If a resolver does not search, at most one open per missing root fails.
  def check_counts(failed)
    plain, *others = failed.to_a
    if @workload.rounds > 1
      wanted = Workload::FILES * @workload.rounds * (@workload.roots - 1)
      expect("#{@name}: #{plain[1]} opens fail instead of #{wanted}", plain[1] == wanted)
    end
    most = @name == "rails" ? plain[1] / 10 : @workload.roots
    others.each { |one, count| expect("#{@name}, #{one}: #{count} opens fail", count <= most) }
  end
end

def expansion(call)
  file = File.join(__dir__, "expand.rb")
  calls = [2_000, 1_000].map { |count| Calls.of(RbConfig.ruby, file, call, count.to_s) }
  calls.inject(:-).one_of(1_000)
end

def measure_expansion
  rows = PATHS.map do |kind, path|
    [kind, *%w[File Curt].map { |library| expansion("#{library}.expand_path(#{path})") }]
  end
  rows << ["by Windows' rules", "", expansion("Curt.expand_path(#{WINDOWS})")]
  rows.each { |kind, _, curt| expect("expand_path, #{kind}: #{curt}", curt == "none") }
  print_table("Calls to the system of one expand_path", ["", "File", "Curt"], rows)
end

def measure_require
  Dir.mktmpdir("curt-require-") do |folder|
    rows = Row.all(folder)
    rows.each(&:check_answers)
    head = ["", "open", "of them fail", "readlink", "all"]
    print_table("Calls to the system", head, rows.flat_map(&:count))
    title = "Processor time, by ratio to plain Ruby #{RUBY_VERSION} (#{ROUNDS} rounds)"
    print_table(title, ["", "report, s", *RESOLVERS], rows.map(&:time))
  end
end

measure_expansion
measure_require
abort ["wrong:", *WRONG].join("\n") unless WRONG.empty?
