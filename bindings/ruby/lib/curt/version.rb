# frozen_string_literal: true

module Curt
  VERSION = "0.1.0"
end
