# frozen_string_literal: true

# Evaluates lines of Ruby from its input, with or without `curt/require`.
require "pathname"

$loaded = []
FIRST = $LOADED_FEATURES.dup
$LOAD_PATH.clear

while (line = $stdin.gets)
  $loaded.clear
  answer =
    begin
      eval(line)
    rescue LoadError, StandardError => error
      [error.class, error.message, error.respond_to?(:path) && error.path]
    end
  features = $LOADED_FEATURES - FIRST
  $stdout.puts [answer, $loaded, features, features.map(&:encoding)].inspect
  $stdout.flush
end
