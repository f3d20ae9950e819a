# frozen_string_literal: true

require "curt"

module Calls
  UNWILLING = Object.new
  def UNWILLING.to_path = raise(IOError, "unwilling")

  LONG = "#{"long/" * 400}end"

  ALL = {
    "expand_path" => -> { Curt.expand_path("../a/./b", "/x") },
    "expand_path, long" => -> { Curt.expand_path(LONG) },
    "expand_path, home" => -> { Curt.expand_path("~/a") },
    "expand_path, Windows" => -> { Curt.expand_path("..\\a", "C:/x", flavor: :windows) },
    "expand_path, encodings" => -> { Curt.expand_path("\u00e4", "/\xe4".dup.force_encoding("latin1")) },
    "expand_path, nobody's home" => -> { Curt.expand_path("~nobody-of-this-name") },
    "expand_path, NUL" => -> { Curt.expand_path("a\0b") },
    "expand_path, unwilling" => -> { Curt.expand_path("a", UNWILLING) },
    "absolute_path" => -> { Curt.absolute_path("~") },
    "realpath" => -> { Curt.realpath("tree/folder/..") },
    "realpath, missing" => -> { Curt.realpath("tree/none") },
    "children" => -> { Curt.children("tree") },
    "children, encoding" => -> { Curt.children("tree", encoding: Encoding::BINARY) },
    "children, missing" => -> { Curt.children("none") },
    "find" => -> { Curt.find("tree") { nil } },
    "find, to_a" => -> { Curt.find("tree").to_a },
    "find, next" => -> { Curt.find("tree").next },
    "find, break" => -> { Curt.find("tree") { break } },
    "find, raise" => -> { Curt.find("tree") { raise IOError, "enough" } },
    "find, throw" => -> { catch(:enough) { Curt.find("tree") { throw :enough } } },
    "find, missing" => -> { Curt.find("none") { nil } },
    "which" => -> { Curt.which("sh") },
    "which, missing" => -> { Curt.which("none", path: "/usr/bin") },
    "which, NUL" => -> { Curt.which("a\0b") },
    "usage" => -> { Curt.usage("tree", threads: 1).entries },
    "usage, missing" => -> { Curt.usage("none", threads: 1) },
    "rm_r" => -> { File.write("file", "") && Curt.rm_r("file", threads: 1) },
    "rm_r, missing" => -> { Curt.rm_r("none", threads: 1) },
    "rm_rf" => -> { Curt.rm_rf(%w[none nor\ this], threads: 1) },
    "rm_rf, unwilling" => -> { Curt.rm_rf(["none", UNWILLING], threads: 1) },
    "remove" => -> { File.write("file", "") && Curt.remove("file", exclude: "*.o") { nil } },
    "remove, missing" => -> { Curt.remove(%w[none nor\ this]) },
    "remove, raise" => -> { Curt.remove("none") { raise IOError } },
    "remove, invalid" => -> { Curt.remove("none", exclude: "[a") },
    "Root.open" => -> { Curt::Root.open("tree") { |root| root.open("file", &:read) } },
    "Root.open, not closed" => -> { Curt::Root.open("tree") && nil },
    "Root.open, missing" => -> { Curt::Root.open("none") },
    "Root#open, outside" => -> { Curt::Root.open("tree") { |root| root.open("../file") } },
    "Root#open, raise" => -> { Curt::Root.open("tree") { |root| root.open("file") { raise IOError } } },
    "Root#open, closed" => -> { Curt::Root.open("tree").tap(&:close).open("file") }
  }.freeze

  FAILURES = [SystemCallError, ArgumentError, IOError, EncodingError].freeze

  def self.repeat(times, call)
    times.times do
      call.call
    rescue *FAILURES
      nil
    end
  end
end
