# frozen_string_literal: true

# Times methods of Ruby and their replacements in curt, like node-curt/main.js.

$LOAD_PATH.unshift(File.join(__dir__, "lib"))
require "curt"
require "fileutils"
require "find"

# The loop is inside, because a block for each call would take as long as the method.
def expand(library)
  lambda do |path, count|
    full = nil
    full = library.expand_path(path) while (count -= 1) >= 0
    full
  end
end

LIBRARIES = {
  "ruby" => {
    expand: expand(File),
    remove: ->(tree) { FileUtils.rm_rf(tree) },
    copy: ->(tree, to) { FileUtils.cp_r(tree, to) },
    names: ->(tree) { Find.find(tree).to_a }
  },
  "glob" => { names: ->(tree) { Dir.glob("#{tree}/**/*", File::FNM_DOTMATCH) } },
  "curt" => {
    expand: expand(Curt),
    remove: ->(tree) { Curt.rm_rf(tree) },
    copy: ->(tree, to) { Curt.cp_r(tree, to) },
    names: ->(tree) { Curt.find(tree).to_a }
  },
  "curt-1" => {
    remove: ->(tree) { Curt.rm_rf(tree, threads: 1) },
    copy: ->(tree, to) { Curt.cp_r(tree, to, threads: 1) }
  }
}.freeze
PATHS = {
  "clean" => "/usr/share/doc/ruby/examples/main.rb",
  "dotted" => "/usr/./lib/../share/doc/ruby/./examples/main.rb",
  "relative" => "lib/net/../http/./response.rb"
}.freeze
LEAST = 50_000_000

def now
  Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
end

def took(nanoseconds)
  warn "took #{nanoseconds}"
end

# Times a block that makes +each+ runs whenever it is called.
def repeated(each = 1)
  count = 0
  begun = now
  while count < 3 || now - begun < LEAST
    yield
    count += 1
  end
  took((now - begun).fdiv(count * each))
end

library, task, *operands = ARGV
tree, kind = operands
work = LIBRARIES.fetch(library).fetch(task.to_sym)
case task
when "expand"
  Dir.chdir(tree)
  puts work.call(PATHS.fetch(kind), 1)
  repeated(1000) { work.call(PATHS.fetch(kind), 1000) }
when "remove", "copy"
  begun = now
  work.call(*operands)
  took(now - begun)
when "names"
  puts work.call(tree)
  repeated { work.call(tree) }
end
