# frozen_string_literal: true

require_relative "curt/version"
require "curt/curt"
require_relative "curt/remove"
require_relative "curt/copy"
require_relative "curt/usage"
require_relative "curt/working_directory"
require_relative "curt/find"

module Curt
  private_constant :Installed
end
