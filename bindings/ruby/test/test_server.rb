# frozen_string_literal: true

require "helper"
require "stringio"
require_relative "../examples/server"

begin
  require "webrick"
rescue LoadError
  puts "skipped: test_server: beside WEBrick: WEBrick is not installed (Debian: ruby-webrick)"
end

class TestServer < Test::Unit::TestCase
  Answer = Struct.new(:status, :head, :content)

  def setup
    @folder = Dir.mktmpdir
    @site = File.join(@folder, "site")
    { "site/index.html" => "start", "site/page.html" => "page", "site/sub/deep/page.txt" => "deep",
      "site/sub/index.html" => "sub", "site/.htaccess" => "HIDDEN", "site/page.html~" => "HIDDEN",
      "site/sub/.htpasswd" => "HIDDEN", "site/.hts/page.html" => "HIDDEN", "secret" => "SECRET",
      "outside/page.html" => "SECRET", "site-evil/page.html" => "SECRET" }.each do |name, content|
      FileUtils.mkdir_p(File.dirname(path = File.join(@folder, name)))
      File.write(path, content)
    end
    { "out" => "../secret", "absolute" => "#{@folder}/secret", "up" => "..",
      "folder" => "../outside", "alias" => ".htaccess", "chain" => "alias",
      "backup" => "page.html~", "into" => ".hts", "same" => "page.html", "again" => "same",
      "lower" => "sub/deep", "loop" => "loop", "gone" => "../gone" }
      .each { |name, target| File.symlink(target, File.join(@site, name)) }
    File.symlink("../../page.html", File.join(@site, "sub/deep/upper"))
    @log = StringIO.new
    @running = []
    @port = start_server
  end

  def teardown
    @running.each do |listener, thread|
      listener.close
      assert_raise(IOError, Errno::EBADF) { thread.join }
    end
    FileUtils.rm_rf(@folder)
  end

  def start_server(**options)
    listener = TCPServer.new("127.0.0.1", 0)
    server = FileServer.new(@site, log: @log, **options)
    thread = Thread.new { server.run(listener) }
    thread.report_on_exception = false
    @running << [listener, thread]
    listener.addr[1]
  end

  def fetch(target, port: @port, method: "GET")
    text = TCPSocket.open("127.0.0.1", port) do |socket|
      socket.write("#{method} #{target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      socket.read.b
    end
    head, content = text.split("\r\n\r\n", 2)
    Answer.new(head[/\AHTTP\/1\.1 (\d+)/, 1].to_i, "#{head}\r\n", content)
  end

  def with_webrick
    server = WEBrick::HTTPServer.new(Port: 0, BindAddress: "127.0.0.1", AccessLog: [],
                                     Logger: WEBrick::Log.new(File::NULL))
    server.mount("/", WEBrick::HTTPServlet::FileHandler, @site, FancyIndexing: false)
    thread = Thread.new { server.start }
    yield server.listeners[0].addr[1]
  ensure
    server.shutdown
    thread.join
  end

  def test_files_are_served
    { "/page.html" => ["page", "text/html"], "/sub/deep/page.txt" => ["deep", "text/plain"],
      "/" => ["start", "text/html"], "/sub/" => ["sub", "text/html"],
      "/page.html?x=../../secret" => ["page", "text/html"],
      "/sub/../%70age.html" => ["page", "text/html"] }.each do |target, (content, type)|
      answer = fetch(target)
      assert_equal([200, content], [answer.status, answer.content], target)
      assert_include(answer.head, "Content-Type: #{type}\r\n")
      assert_include(answer.head, "Content-Length: #{content.bytesize}\r\n")
      head = fetch(target, method: "HEAD")
      assert_equal([answer.head, ""], [head.head, head.content])
    end
    large = Random.bytes(3 << 20)
    File.binwrite(File.join(@site, "large.bin"), large)
    assert_equal(large, fetch("/large.bin").content)
    assert_include(fetch("/large.bin", method: "HEAD").head, "application/octet-stream")
    assert_equal(405, fetch("/page.html", method: "POST").status)
    ["page.html", "*", "http://localhost/", "/%", "/%2", "/%zz", "/x" * 5000].each do |target|
      assert_equal(400, fetch(target).status, target)
    end
    ["/sub", "/sub/deep/", "/gone-too", "/page.html/x", "/#{"x" * 256}"].each do |target|
      assert_equal([404, ""], fetch(target).to_a.values_at(0, 2), target)
    end
  end

  HONEST = ["with space", "grün.html", "a..b", "..c", "...d", "~", "~root", "100%", "%2e%2e",
            "a+b", "a&b=c", "(x) [y] {z}", "-", "\u3042", "a\u0301", "latin-\xFC", "e\u2025f",
            "x~y", "htaccess", "a.htaccess", "gone (deleted)", "nul", "aux.html", "a:b",
            "page.html.", "page~1.htm", "back\\slash", "what?"].freeze

  def encode(name)
    name.b.gsub(/[^a-z.]/n) { |byte| format("%%%02x", byte.ord) }
  end

  def test_odd_but_honest_names_are_served
    HONEST.each do |name|
      File.binwrite(File.join(@site, name), name)
      assert_equal([200, name.b], fetch("/#{encode(name)}").to_a.values_at(0, 2), name)
      FileUtils.mkdir_p(folder = File.join(@folder, "site/in", name))
      File.write(File.join(folder, "x"), "x")
      assert_equal("x", fetch("/in/#{encode(name)}/x").content, name)
    end
  end

  # See CVE-2008-1145, CVE-2008-1891, CVE-2022-41720, CVE-2022-41722 and CVE-2025-27210.
  ATTACKS = {
    "`..` in any spelling" => %w[
      /../secret /../../../../../../etc/passwd /sub/../../secret /sub/deep/../../../secret
      /./../secret /sub/./.././../secret /..//secret //..//..//secret /.. /../ /sub/../..
      /../site-evil/page.html /../site/../secret /%2e%2e/secret /%2e%2e%2fsecret /..%2fsecret
      /.%2e/secret /sub%2f..%2f..%2fsecret /..%5csecret /..%5c..%5csecret /sub/..%5c..%5csecret
      /..\\secret /%2e%2e%5csecret /.../secret /....//secret /..;/secret /..%20/secret /..%09/secret
    ],
    "double encoding, overlong and full-width dots" => %w[
      /%252e%252e/secret /%252e%252e%252fsecret /..%252fsecret /..%255csecret
      /%25%32%65%25%32%65/secret
      /%c0%ae%c0%ae/secret /%c0%ae%c0%ae%c0%afsecret /..%c0%afsecret /..%c1%9csecret
      /%e0%80%ae%e0%80%ae/secret /%ef%bc%8e%ef%bc%8e/secret /%ef%bc%8e%ef%bc%8e%ef%bc%8fsecret
      /..%e2%88%95secret /..%c2%a5secret /%u002e%u002e/secret
    ],
    "absolute paths, servers, drives" => %w[
      //etc/passwd /%2fetc/passwd ///etc/passwd /%2f%2fetc%2fpasswd /c:/windows/win.ini /c:secret
      /sub/c:/windows/win.ini /a/../c:/secret /%5c%5cserver%5cshare%5csecret /%5c%5c.%5cc:%5csecret
      /%5c%5c%3f%5cc:%5csecret /%5c%3f%3f%5cc:%5csecret //./secret /file:///etc/passwd
    ],
    "NUL" => %w[
      /%00 /page.html%00 /page.html%00.png /../secret%00.html /%00/../secret /.htaccess%00.html
    ],
    "hidden names in any case" => %w[
      /.htaccess /.HTACCESS /.HtAccess /%2ehtaccess /./.htaccess /sub/../.htaccess /sub/.htpasswd
      /.htaccess/ /.htaccess/. /page.html~ /PAGE.HTML~ /page.html%7e
      //.htaccess /sub//.htpasswd /.ht /nothing~ /nothing~/page.html
    ],
    "their short names, dots, spaces, streams" => %w[
      /htacce~1 /HTACCE~1 /sub/htpass~1 /page~1.htm /.htaccess. /.htaccess%20 /.htaccess%20.
      /.htaccess... /.htaccess::$DATA /.htaccess::$data /.htaccess:x:$DATA /page.html::$DATA
      /page.html:x /page.html. /page.html%20 /sub.%20/page.html /sub::$INDEX_ALLOCATION/.htpasswd
      /sub:$I30:$INDEX_ALLOCATION/.htpasswd /sub%5c.htpasswd /.%5c.htaccess /sub/..%5c.htaccess
    ],
    "names of devices" => %w[
      /nul /NUL /con /aux.html /com1 /COM1.txt /lpt9 /com%c2%b9 /con%20 /con: /sub/nul
      /nul/page.html /conin$ /prn..
    ],
    "links that lead out" => %w[/out /absolute /up/secret /folder/page.html /up/site/page.html],
    "a link to a hidden file" => %w[/alias /chain /backup /into/page.html /into/../.htaccess],
    "a link loop, a broken link" => %w[/loop /gone],
    "a FIFO" => %w[/fifo],
  }.freeze

  INSIDE = {
    "a link that stays inside" => %w[/same /again /lower/page.txt /sub/deep/upper /lower/upper]
  }.freeze

  def verdict(answers)
    contents = answers.map(&:content).join
    return "OUTSIDE" if contents.match?(/SECRET|root:/)
    return "HIDDEN" if contents.include?("HIDDEN")

    answers.any? { |answer| answer.status < 400 } ? "served" : "refused"
  end

  def test_nothing_outside_and_nothing_hidden_is_served
    File.mkfifo(File.join(@site, "fifo"))
    ATTACKS.each do |group, targets|
      targets.each do |target|
        answer = fetch(target)
        assert_include([400, 403, 404], answer.status, "#{group}: #{target}\n#{@log.string}")
        assert_empty(answer.content, target)
      end
    end
    @log.truncate(0)
    fetch("/sub/../../secret")
    assert_match(/the path leaves the root directory/, @log.string)
  end

  def test_links_within_the_root_are_followed
    INSIDE.values.flatten.each do |target|
      assert_include([[200, "page"], [200, "deep"]], fetch(target).to_a.values_at(0, 2), target)
    end
  end

  def test_a_strict_server_refuses_names_that_systems_disagree_about
    port = start_server(strict: true)
    assert_equal("page", fetch("/page.html", port: port).content)
    ["nul", "aux.html", "page.html.", "a:b", "page~1.htm", "back\\slash", "what?"].each do |name|
      File.write(File.join(@site, name), "served")
      assert_equal([403, ""], fetch("/#{encode(name)}", port: port).to_a.values_at(0, 2), name)
    end
    INSIDE.values.flatten.each do |target|
      assert_equal(403, fetch(target, port: port).status, target)
    end
  end

  def test_names_are_those_of_open_files
    server = FileServer.new(@site)
    beneath = ->(file) { server.send(:path_beneath, file) }
    File.open(File.join(@site, "backup")) do |file|
      assert_equal("page.html~", beneath.call(file))
      File.rename(File.join(@site, "page.html"), File.join(@site, "page.html~"))
      assert_equal("page.html~", beneath.call(file))
      File.unlink(File.join(@site, "page.html~"))
      assert_equal("page.html~", beneath.call(file))
    end
    File.open(File.join(@folder, "site-evil/page.html")) do |file|
      assert_raise(FileServer::Refused) { beneath.call(file) }
    end
    File.rename(@site, "#{@site}-moved")
    assert_equal([200, "sub"], fetch("/sub/").to_a.values_at(0, 2))
    assert_equal(404, fetch("/alias").status)
  end

  def while_swapping
    File.write(File.join(@site, "swapped.html"), "page")
    FileUtils.mkdir_p(swapped = File.join(@site, "swapped"))
    File.write(File.join(swapped, "page.html"), "page")
    swapper = fork do
      loop do
        [[swapped, "../outside"], ["#{swapped}.html", "../secret"]].each do |path, target|
          File.rename(path, "#{@folder}/parked")
          File.symlink(target, path)
          File.unlink(path)
          File.rename("#{@folder}/parked", path)
        end
      end
    end
    yield
  ensure
    Process.kill(:KILL, swapper)
    Process.wait(swapper)
  end

  def verdict_while_swapping(port)
    finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) +
             Float(ENV.fetch("CURT_RACE_SECONDS", "1"))
    seen = Array.new(4) do
      Thread.new do
        answers = {}
        until Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish
          answer = fetch(%w[/swapped/page.html /swapped.html].sample, port: port)
          answers[[answer.status, answer.content]] = answer
        end
        answers.values
      end
    end
    answers = seen.flat_map(&:value)
    assert_include(answers.map(&:content), "page")
    verdict(answers)
  end

  def test_swapped_links_show_nothing
    while_swapping { assert_equal("served", verdict_while_swapping(@port)) }
  end

  def test_the_table_of_the_example
    omit("WEBrick is not installed") unless defined?(WEBrick)
    File.mkfifo(File.join(@site, "fifo"))
    rows = with_webrick do |port|
      verdicts = ATTACKS.merge(INSIDE).map do |group, targets|
        [group, *[port, @port].map { |at| verdict(targets.map { |one| fetch(one, port: at) }) }]
      end
      swapped = while_swapping do
        theirs = 30.times.lazy.map { verdict_while_swapping(port) }.find { |seen| seen != "served" }
        [theirs, verdict_while_swapping(@port)]
      end
      verdicts << ["a folder and a file swapped for links meanwhile", *swapped]
    end
    table = rows.map { |row| format("#   %-48s  %-9s  %s\n", *row) }.join
    assert_include(File.read(File.expand_path("../examples/server.rb", __dir__)), table)
  end

  def test_all_descriptors_are_closed
    fetch("/page.html")
    GC.start
    before = Dir.children("/dev/fd").size
    GC.disable
    50.times { %w[/page.html /sub /out /.htaccess /missing].each { |target| fetch(target) } }
    20.times { TCPSocket.open("127.0.0.1", @port, &:close) }
    20.times { TCPSocket.open("127.0.0.1", @port) { |socket| socket.write("GET /page.html HT") } }
    50.times do
      break if Dir.children("/dev/fd").size == before

      sleep(0.1)
    end
    assert_equal(before, Dir.children("/dev/fd").size)
  ensure
    GC.enable
  end
end
