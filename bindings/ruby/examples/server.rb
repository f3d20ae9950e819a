#!/usr/bin/env ruby
# frozen_string_literal: true

# usage: ruby server.rb FOLDER [PORT]
#
# Serves the files of a folder to untrusted HTTP clients.
#
# WEBrick's FileHandler checks a path with +File.expand_path+ as text, and opens the path later,
# when it may mean another file. Here the open is the check: a Curt::Root opens or refuses the path,
# decoded once. An open file cannot be swapped, so the server tests the kernel's name of that file
# for hidden names, wherever symlinks led. Results of test/test_server.rb for both:
#
#   request                                           WEBrick    this server
#   ------------------------------------------------  ---------  -----------
#   `..` in any spelling                              refused    refused
#   double encoding, overlong and full-width dots     refused    refused
#   absolute paths, servers, drives                   refused    refused
#   NUL                                               refused    refused
#   hidden names in any case                          refused    refused
#   their short names, dots, spaces, streams          refused    refused
#   names of devices                                  refused    refused
#   links that lead out                               OUTSIDE    refused
#   a link to a hidden file                           HIDDEN     refused
#   a link loop, a broken link                        refused    refused
#   a FIFO                                            refused    refused
#   a link that stays inside                          served     served
#   a folder and a file swapped for links meanwhile   OUTSIDE    served
#
# OUTSIDE: served a file outside the folder. HIDDEN: served a hidden file. served: served only files
# inside.
#
# For a folder on a Windows filesystem (vfat, NTFS), use <tt>strict: true</tt>, because +htacce~1+
# names a hidden file there even on Linux.

require "curt"
require "socket"
require "timeout"

class FileServer
  TYPES = {
    ".css" => "text/css", ".html" => "text/html", ".jpg" => "image/jpeg",
    ".js" => "text/javascript", ".json" => "application/json", ".png" => "image/png",
    ".svg" => "image/svg+xml", ".txt" => "text/plain"
  }.freeze

  # WEBrick's NondisclosureName, but case-insensitive.
  HIDDEN = [".ht*", "?*~"].freeze

  REASONS = {
    200 => "OK", 400 => "Bad Request", 403 => "Forbidden", 404 => "Not Found",
    405 => "Method Not Allowed", 500 => "Internal Server Error"
  }.freeze

  class Refused < StandardError
    attr_reader :status

    def initialize(status, reason)
      super(reason)
      @status = status
    end
  end

  def initialize(folder, strict: false, log: $stderr)
    @root = Curt::Root.open(folder, strict: strict)
    @folder = @root.open(".")
    @log = log
  end

  def run(listener)
    loop { Thread.new(listener.accept) { |client| answer(client) } }
  ensure
    @folder.close
    @root.close
  end

  private

  def answer(client)
    respond(client)
  rescue SystemCallError, IOError, Timeout::Error => error
    @log.puts("client: #{error.message.inspect}")
  ensure
    client.close
  end

  def respond(client)
    method, target = Timeout.timeout(30) { read_request(client) }
    path = path_of(target)
    file = open_file(path)
    send_file(client, method, file, path)
  rescue Refused => error
    @log.puts("#{target.inspect}: #{error.message.inspect}")
    send_head(client, error.status, "Content-Length" => 0)
  ensure
    file&.close
  end

  def read_request(client)
    method, target, version = client.gets("\n", 8192)&.split(" ")
    100.times { break if client.gets("\n", 8192).to_s.chomp.empty? }
    raise Refused.new(400, "no request") unless version&.start_with?("HTTP/1.")
    raise Refused.new(405, method) unless %w[GET HEAD].include?(method)

    [method, target]
  end

  # Returns the relative path of a target as bytes. Decodes the target exactly once; what is still
  # encoded then belongs to the name.
  def path_of(target)
    path = target.b[%r{\A/([^?#]*)}n, 1]
    raise Refused.new(400, "no path") if path.nil? || path.match?(/%(?!\h\h)/n)

    path = path.gsub(/%(\h\h)/n) { $1.hex.chr }
    path.empty? || path.end_with?("/") ? "#{path}index.html" : path
  end

  # Opens a file. Refuses hidden names in the requested path, and in the path of the opened file.
  def open_file(path)
    check_names(path)
    file = @root.open(path, "rb")
    check_names(path_beneath(file))
    raise Refused.new(404, "no file") unless file.stat.file?

    file
  rescue SystemCallError, ArgumentError, Refused => error
    file&.close
    raise refusal(error)
  end

  def check_names(path)
    flags = File::FNM_DOTMATCH | File::FNM_CASEFOLD
    path.split("/").product(HIDDEN) do |name, pattern|
      raise Refused.new(404, "hidden") if File.fnmatch?(pattern, name, flags)
    end
  end

  # Returns the current path of an open file, relative to the folder. The file and the folder may
  # have moved.
  def path_beneath(file)
    folder = "#{name_of(@folder).chomp("/")}/"
    name = name_of(file)
    raise Refused.new(404, "moved out of the folder") unless name.start_with?(folder)

    name.delete_prefix(folder)
  end

  # Returns the kernel's name of an open file, without the mark of a deleted one.
  def name_of(file)
    File.readlink("/proc/self/fd/#{file.fileno}").b.delete_suffix(" (deleted)")
  end

  def refusal(error)
    case error
    when Refused
      error
    when Errno::EXDEV, Errno::ELOOP, Errno::EACCES, ArgumentError
      Refused.new(403, error.message)
    when Errno::ENOENT, Errno::ENOTDIR, Errno::ENXIO, Errno::ENAMETOOLONG
      Refused.new(404, error.message)
    else
      Refused.new(500, error.message)
    end
  end

  def send_file(client, method, file, path)
    length = file.size
    type = TYPES.fetch(File.extname(path).downcase, "application/octet-stream")
    send_head(client, 200, "Content-Length" => length, "Content-Type" => type)
    IO.copy_stream(file, client, length) if method == "GET"
  end

  def send_head(client, status, fields)
    fields = fields.map { |name, value| "#{name}: #{value}\r\n" }.join
    line = "HTTP/1.1 #{status} #{REASONS.fetch(status)}\r\n"
    client.write("#{line}Connection: close\r\n#{fields}\r\n")
  end
end

if $PROGRAM_NAME == __FILE__
  folder, port = ARGV
  abort "usage: server.rb FOLDER [PORT]" unless folder
  listener = TCPServer.new("127.0.0.1", port || 8000)
  puts "http://127.0.0.1:#{listener.addr[1]}/"
  trap(:INT) { exit }
  FileServer.new(folder).run(listener)
end
