#!/usr/bin/env ruby
# frozen_string_literal: true

# Builds the extension in the target folder, and runs the tests.
#
# usage: ruby bindings/ruby/check.rb [TEST.rb …]
#
# Needs Rust, a C compiler, and Ruby 3.1 or newer with its headers (Debian: ruby-dev).

require "fileutils"
require "rbconfig"

HERE = __dir__
RUBY = RbConfig.ruby

def run(*command, **options)
  puts "+ #{command.join(" ")}"
  $stdout.flush
  system(*command, **options) or exit($?.exitstatus || 1)
end

target = File.expand_path(ENV.fetch("CARGO_TARGET_DIR", "target"), File.expand_path("../..", HERE))
build = File.join(target, "ruby-#{RUBY_VERSION}")
FileUtils.mkdir_p(File.join(build, "curt"))
run RUBY, File.join(HERE, "ext/curt/extconf.rb"), chdir: build
run "make", "--quiet", chdir: build
FileUtils.cp(File.join(build, "curt.so"), File.join(build, "curt/curt.so"))

load_path = ["-I", build, "-I", File.join(HERE, "lib"), "-I", File.join(HERE, "test")]
tests = ARGV.empty? ? Dir[File.join(HERE, "test/test_*.rb")].sort : ARGV
run RUBY, "-w", *load_path, "-e", "ARGV.each { |test| require File.expand_path(test) }", *tests
