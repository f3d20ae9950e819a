#!/usr/bin/env ruby
# frozen_string_literal: true

# Builds the extension in the target folder, and runs the tests.
#
# usage: ruby bindings/ruby/check.rb [--all] [TEST.rb …]
#
# Needs Rust, a C compiler, make, and Ruby 3.1 or newer with its headers (Debian: ruby-dev). `--all`
# adds longer runs with a release build, AddressSanitizer, and Ruby's own tests.

require "fileutils"
require "rbconfig"

HERE = __dir__
RUBY = RbConfig.ruby
CHECKOUT = File.expand_path("../..", HERE)
TARGET = File.expand_path(ENV.fetch("CARGO_TARGET_DIR", "target"), CHECKOUT)
WARNINGS = "-Wall -Wextra -Wno-unused-parameter -Werror"

def run(*command, environment: {}, **options)
  puts "+ #{command.join(" ")}"
  $stdout.flush
  system(environment, *command, **options) or exit($?.exitstatus || 1)
end

def build(name, profile, *flags)
  folder = File.join(TARGET, "ruby-#{RUBY_VERSION}", name)
  FileUtils.mkdir_p(File.join(folder, "curt"))
  extconf = File.join(HERE, "ext/curt/extconf.rb")
  run RUBY, extconf, "--with-curt-profile=#{profile}", chdir: folder
  run "make", "--quiet", *flags, chdir: folder
  FileUtils.cp(File.join(folder, "curt.so"), File.join(folder, "curt/curt.so"))
  folder
end

def test(folder, tests, environment = {})
  load_path = ["-I", folder, "-I", File.join(HERE, "lib"), "-I", File.join(HERE, "test")]
  script = "ARGV.each { |test| require File.expand_path(test) }; ARGV.clear"
  run RUBY, "-w", *load_path, "-e", script, *tests, environment: environment
end

is_all = ARGV.delete("--all")
chosen = ARGV.empty? ? Dir[File.join(HERE, "test/test_*.rb")].sort : ARGV
test build("dev", "dev", "ARCH_FLAG=#{WARNINGS}"), chosen
exit unless is_all

release = build("release", "release")
test release, chosen, "CURT_ROUNDS" => "10000"
# Leave the stack unchecked: AddressSanitizer does not see that Ruby jumps out of frames.
asan = build("asan", "dev", "ARCH_FLAG=-fsanitize=address --param asan-stack=0")
library = IO.popen(%w[cc -print-file-name=libasan.so], &:read).chomp
test asan, chosen, "LD_PRELOAD" => library, "ASAN_OPTIONS" => "detect_leaks=0:use_sigaltstack=0"
run RUBY, File.join(HERE, "test/ruby/run.rb"), release
