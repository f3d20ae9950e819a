# frozen_string_literal: true

require_relative "curt/version"
require "curt/curt"
require_relative "curt/remove"
require_relative "curt/usage"
require_relative "curt/working_directory"
require_relative "curt/find"

# The filesystem operations of +File+, +FileUtils+, +Find+ and +Dir+ over libcurt: few system calls,
# and the system's exact answer.
module Curt
  private_constant :Installed
end
