# frozen_string_literal: true

# Makes a call again and again, for whoever counts what it asks of the system.
#
# usage: ruby expand.rb CALL COUNT, with the folder of curt's gem in CURT_LIBRARY

$LOAD_PATH.unshift(ENV.fetch("CURT_LIBRARY"))
require "curt"

call, count = ARGV
eval("#{count}.times { #{call} }")
