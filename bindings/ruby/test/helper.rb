# frozen_string_literal: true

require "curt"
require "fileutils"
require "test/unit"
require "tmpdir"
