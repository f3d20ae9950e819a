# frozen_string_literal: true

# Repeats a call, so that its system calls can be traced.
#
# usage: ruby expand.rb CALL COUNT
#
# CURT_LIBRARY is the folder with curt's gem.

$LOAD_PATH.unshift(ENV.fetch("CURT_LIBRARY"))
require "curt"

call, count = ARGV
eval("#{count}.times { #{call} }")
