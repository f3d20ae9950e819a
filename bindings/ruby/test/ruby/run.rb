# frozen_string_literal: true

# Runs Ruby's own tests with curt installed.
#
# usage: ruby run.rb BUILD
#
# BUILD is a folder with the extension, `curt/curt.so`. The tests are in Debian's source of this
# Ruby, fetched once into BUILD. Each file runs with and without curt, and if the caller is root
# also as nobody. A test that passes without curt must pass with it, unless `failures.txt` lists it;
# a listed test must fail.

require "digest"
require "etc"
require "fileutils"
require "json"
require "rbconfig"
require "tmpdir"

BUILD = File.expand_path(ARGV.fetch(0))
LIB = File.expand_path("../../lib", __dir__)
VERSION = RUBY_VERSION[/\A\d+\.\d+/]

ARCHIVES = {
  "3.1.2" => "350013ef6640f15c42eae48d25c035999dcbb32e4be038d27ad891cb48d685a5",
  "3.3.8" => "e2e1233ad275b7623a05edf23a01192626d1da454bdfe353a28a87acd8ef015c"
}.freeze

FILES = {
  "ruby/test_file_exhaustive.rb" => 100, "ruby/test_path.rb" => 6, "ruby/test_dir.rb" => 30,
  "test_find.rb" => 15, "fileutils/test_fileutils.rb" => 95, "fileutils/test_verbose.rb" => 90,
  "fileutils/test_nowrite.rb" => 90, "fileutils/test_dryrun.rb" => 90
}.freeze
WINDOWS = ["ruby/test_file_exhaustive.rb", "ruby/test_path.rb"].freeze

MOST_LISTED = 10

# Replaces an extension that the tests need to detect macOS.
FILE_SYSTEM = "module Bug; module File; module Fs; def self.fsname(_) = nil; end; end; end\n"

def skip(reason)
  puts "skipped: Ruby's own tests: #{reason}"
  exit
end

def fetch(folder)
  Dir.mkdir(lists = File.join(folder, "lists"))
  Dir.mkdir(sources = File.join(folder, "sources"))
  ["/etc/apt/sources.list", *Dir["/etc/apt/sources.list.d/*.{list,sources}"]].each do |file|
    next unless File.exist?(file)

    text = File.read(file).gsub(/^deb /, "deb-src ").gsub(/^Types:.*/, "Types: deb-src")
    File.write(File.join(sources, File.basename(file)), text)
  end
  options = ["-qq", "-o", "Dir::Etc::SourceList=-", "-o", "Dir::Etc::SourceParts=#{sources}",
             "-o", "Dir::State::Lists=#{lists}", "-o", "APT::Sandbox::User=root",
             "-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache="]
  system("apt-get", *options, "update")
  package = "ruby#{VERSION}"
  records = IO.popen(["apt-cache", *options.drop(1), "showsrc", package], &:read)
  records.scan(/^Version: (.+)$/).flatten.any? do |version|
    system("apt-get", *options, "source", "--download-only", "--tar-only", "#{package}=#{version}",
           chdir: folder, err: File::NULL)
  end
end

def suite
  folder = File.join(BUILD, "ruby-source")
  return folder if File.exist?(folder)

  sum = ARCHIVES[RUBY_VERSION]
  skip "no source of Ruby #{RUBY_VERSION} is known" unless sum
  skip "no apt-get" unless system("apt-get", "--version", out: File::NULL, err: File::NULL)
  Dir.mktmpdir("source", BUILD) do |temporary|
    skip "no source of Ruby #{RUBY_VERSION} is to be had" unless fetch(temporary)
    archive, = Dir[File.join(temporary, "*.orig.tar.*")]
    abort "#{archive} is not what it was" if Digest::SHA256.file(archive).hexdigest != sum
    Dir.mkdir(made = File.join(temporary, "source"))
    system("tar", "-xf", archive, "-C", made, "--strip-components=1", "--wildcards",
           *%w[ruby fileutils test_find.rb].map { |name| "*/test/#{name}" }, "*/tool/lib") or exit 1
    FileUtils.mkdir_p(extensions = File.join(made, "tool/lib/-test-"))
    File.write(File.join(extensions, "file.rb"), FILE_SYSTEM)
    File.rename(made, folder)
  end
  folder
end

def listed
  lines = File.readlines(File.join(__dir__, "failures.txt"), chomp: true)
  lines = lines.reject { |line| line.empty? || line.start_with?("#") }
  entries = lines.slice_before { |line| !line.start_with?(" ") }
  abort "failures.txt: at most #{MOST_LISTED}" if entries.count > MOST_LISTED
  entries.flat_map do |line, *reason|
    abort "failures.txt: no reason: #{line}" if reason.empty?
    *versions, test = line.split
    versions.include?(VERSION) ? [test] : []
  end
end

Answer = Struct.new(:outcomes, :calls, :leaks)

def run(folder, user, whose, file)
  work = Dir.mktmpdir("run", folder)
  results = File.join(work, "results")
  File.chown(user.uid, user.gid, work)
  process = fork do
    Process.initgroups(user.name, user.gid) if Process.uid.zero?
    Process::GID.change_privilege(user.gid)
    Process::UID.change_privilege(user.uid)
    environment = { "HOME" => user.dir, "USER" => user.name, "TMPDIR" => work,
                    "LC_ALL" => "C.UTF-8", "RUBYOPT" => nil, "RUBYLIB" => nil, "GEM_HOME" => "",
                    "GEM_PATH" => "" }
    exec(environment, RbConfig.ruby, "-W0", "-I", folder, "-I", "#{folder}/lib",
         "-I", "#{folder}/source/tool/lib", "#{folder}/one.rb", whose, results,
         "#{folder}/source/test/#{file}", chdir: work, in: File::NULL, %i[out err] => "#{work}/log")
  end
  Process.wait(process)
  log = File.read("#{work}/log")
  abort "#{file}: #{whose}: no results\n#{log}" unless File.exist?(results)
  answer = JSON.parse(File.read(results))
  Answer.new(answer["outcomes"], answer["calls"], log.scan(/^Leaked .*/))
ensure
  FileUtils.rm_rf(work)
end

def answers(folder, users)
  jobs = users.product(%w[plain curt], FILES.keys) + users.first(1).product(%w[windows], WINDOWS)
  queue = Queue.new(jobs).close
  results = {}
  Array.new(2) do
    Thread.new do
      while (job = queue.pop)
        results[job] = run(folder, *job)
      end
    end
  end.each(&:join)
  results
end

def passed(outcomes)
  outcomes.select { |_, outcome| outcome == "passed" }.keys
end

def compare(user, file, plain, curt, expected)
  before, after = passed(plain.outcomes), passed(curt.outcomes)
  puts format("  %-30s %-7s %4d %4d", file, user.name, before.size, after.size)
  wrong = []
  wrong << "#{file}: too few tests pass with Ruby alone" if before.size < FILES[file]
  (before - after - expected).each do |test|
    wrong << "#{test} (#{user.name}): fails, and is not listed\n#{curt.outcomes[test]}"
  end
  (curt.leaks - plain.leaks).each { |leak| wrong << "#{file} (#{user.name}): #{leak}" }
  wrong
end

Thread.abort_on_exception = true
expected = listed
users = [Etc.getpwuid, (Etc.getpwnam("nobody") if Process.uid.zero?)].compact
results = Dir.mktmpdir do |folder|
  File.chmod(0o755, folder)
  here = Dir[File.join(__dir__, "{one,windows}.rb")]
  FileUtils.cp_r([LIB, File.join(BUILD, "curt"), *here], folder)
  FileUtils.cp_r(suite, File.join(folder, "source"))
  answers(folder, users)
end

puts "Ruby #{RUBY_VERSION}: its own tests that pass with Ruby alone, and with curt"
wrong = users.product(FILES.keys).flat_map do |user, file|
  compare(user, file, *%w[plain curt].map { |whose| results[[user, whose, file]] }, expected)
end

calls = results.select { |(_, whose, _), _| whose == "curt" }.map { |_, answer| answer.calls }
calls.reduce { |all, some| all.merge(some) { |_, one, other| one + other } }
     .each { |name, count| puts format("  %-30s %6d calls", name, count) }

windows = results.select { |(_, whose, _), _| whose == "windows" }.values
tests = windows.flat_map { |answer| answer.outcomes.to_a }
rows = windows.sum { |answer| answer.calls.values.sum }
puts "As if on Windows: #{tests.size} tests of #{rows} paths"
tests.each do |test, outcome|
  wrong << "#{test}: #{outcome}" unless outcome == "passed" || expected.include?(test)
end

failing = results.reject { |(_, whose, _), _| whose == "plain" }
                 .flat_map { |_, answer| answer.outcomes.keys - passed(answer.outcomes) }
(expected - failing).each { |test| wrong << "#{test}: passes, and is listed" }


abort wrong.join("\n") unless wrong.empty?
