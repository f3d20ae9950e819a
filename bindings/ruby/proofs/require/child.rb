# frozen_string_literal: true

# Requires a workload's files in a new process.
#
# usage: ruby child.rb RESOLVER WORKLOAD FOLDER ROUNDS|list
#
# Prints the processor time in nanoseconds, or with +list+ the loaded features.
#
# | resolver | search method |
# |---|---|
# | +plain+ | Ruby's; RubyGems' own +require+ is disabled, as under Bundler |
# | +curt+ | <tt>curt/require</tt> from CURT_LIBRARY |
# | +bootsnap+ | bootsnap's cache of the load path, without its cache of compiled files |
# | +record+ | like +plain+, and saves a table of all names and paths |
# | +bound+ | that table, without disk access |

require_relative "workload"

resolver, name, folder, rounds = ARGV
workload = Workload.new(name, folder)
table = File.join(folder, "#{name}.names")
require "bootsnap" if resolver == "bootsnap"

module Kernel
  if private_method_defined?(:gem_original_require)
    alias_method :require, :gem_original_require
    private :require
  end
  alias_method :require_plainly, :require
end

case resolver
when "plain"
when "curt"
  $LOAD_PATH.unshift(ENV.fetch("CURT_LIBRARY"))
  require "curt/require"
when "bootsnap"
  workload.set_load_path
  Bootsnap::LoadPathCache.setup(cache_path: "#{table}.bootsnap", development_mode: false)
when "record"
  PATHS = {}
  at_exit { File.binwrite(table, Marshal.dump(PATHS)) }
  module Kernel
    def require(name)
      _, path = $LOAD_PATH.resolve_feature_path(name)
      PATHS[name] ||= path if path && path != name
      require_plainly(name)
    end
  end
when "bound"
  PATHS = Marshal.load(File.binread(table)).freeze
  module Kernel
    def require(name)
      require_plainly(PATHS[name] || name)
    end
  end
else
  abort "no resolver '#{resolver}'"
end

workload.set_load_path
if rounds == "list"
  workload.run(1, forget: false)
  puts $LOADED_FEATURES
else
  begun = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)
  workload.run(Integer(rounds))
  puts Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond) - begun
end
