# frozen_string_literal: true

module Curt
  # The version of the gem and of the libcurt it was written for.
  VERSION = "0.1.0"
end
