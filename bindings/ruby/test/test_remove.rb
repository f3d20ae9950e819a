# frozen_string_literal: true

require "helper"
require "pathname"
require "rbconfig"
require "stringio"
require "timeout"

class TestRemove < Test::Unit::TestCase
  def setup
    @folder = Dir.mktmpdir("curt")
    @before = Dir.pwd
    Dir.chdir(@folder)
  end

  def teardown
    Dir.chdir(@before)
    FileUtils.remove_entry(@folder)
  end

  def test_it_removes_like_fileutils
    seed = Integer(ENV.fetch("CURT_SEED") { Random.new_seed % 100_000 })
    40.times do |round|
      plant = ->(tree) { Tree.new(Random.new(seed + round)).plant(tree) }
      paths = plant.call("a")
      plant.call("b")
      random = Random.new(seed + round)
      count = random.rand(1..4)
      force = count > 1 || random.rand(2).zero?
      list = Array.new(count) { paths.sample(random: random) }
      results = [["a", FileUtils], ["b", Curt]].map do |folder, by|
        given = list.map { |path| Pathname(folder) + path }
        given = [given.first.to_s, given.drop(1)]
        got = outcome { by.rm_r(given, force: force) }
        [got.is_a?(Array) ? got.map { |path| path.delete_prefix(folder) } : got, names(folder)]
      end
      assert_equal(*results, "CURT_SEED=#{seed + round}, #{list}, force: #{force}")
      FileUtils.rm_rf(%w[a b])
    end
  end

  def test_it_goes_on_after_a_failure
    FileUtils.mkdir_p(%w[a b])
    error = assert_raise(Errno::ENOENT) { Curt.rm_r(%w[a missing b absent]) }
    assert_equal("No such file or directory @ remove - missing", error.message)
    assert_empty(Dir.children("."))
    assert_equal(%w[missing], Curt.rm_rf("missing"))
    assert_equal([], Curt.rm_r([]))
  end

  def test_a_missing_path_is_an_error_in_spite_of_signals
    old = trap("USR1") {}
    child = fork { loop { Process.kill("USR1", Process.ppid) && sleep(0.0001) } }
    500.times { assert_raise(Errno::ENOENT) { Curt.rm_r("missing") } }
  ensure
    Process.kill("KILL", child)
    Process.wait(child)
    trap("USR1", old)
  end

  def test_noop_and_verbose
    Dir.mkdir("a")
    output = printed { assert_nil(Curt.rm_r(["a", Pathname("b")], noop: true, verbose: true)) }
    assert_equal("rm -r a b\n", output)
    assert_equal("rm -rf a\n", printed { Curt.rm_rf("a", noop: true, verbose: true) })
    assert_path_exist("a")
    assert_equal("rm -rf a\n", printed { Curt.rm_rf("a", verbose: true, secure: true) })
    assert_path_not_exist("a")
  end

  def test_a_closed_output_is_an_error
    Dir.mkdir("a")
    before = $stdout
    $stdout = File.open(File::NULL, "w").tap(&:close)
    error = outcome { Curt.rm_rf("a", verbose: true) }
    $stdout = before
    assert_equal(IOError, error)
    assert_path_exist("a")
  end

  def test_names_are_any_bytes
    list = ["\xff\xfe".b, "ä", "-rf", "new\nline", "a" * 255].each { |name| File.write(name, "") }
    assert_equal(list, Curt.rm_r(list.map(&:freeze)))
    assert_empty(Dir.children("."))
  end

  def test_wrong_arguments
    Dir.mkdir("a")
    raising = Object.new
    def raising.to_path = raise(IndexError)
    { ["a", "b\0"] => ArgumentError, ["a", nil] => TypeError, ["a", 1] => TypeError,
      ["a", "b".encode("UTF-16LE")] => Encoding::CompatibilityError,
      ["a", raising] => IndexError }.each do |list, error|
      assert_raise(error) { Curt.rm_rf(list) }
      assert_raise(error) { FileUtils.rm_rf(list.drop(1)) }
    end
    [0, -1, 1025, 2**70].each { |n| assert_raise(ArgumentError) { Curt.rm_rf("a", threads: n) } }
    ["1", 1.5, :one].each { |n| assert_raise(TypeError) { Curt.rm_rf("a", threads: n) } }
    assert_path_exist("a")
    Curt.rm_rf("a", threads: 1024)
    assert_path_not_exist("a")
  end

  def test_permissions
    omit_unless_root
    FileUtils.mkdir_p(%w[top/closed/a top/open/b top/own])
    FileUtils.chmod(0o777, [@folder, "top", "top/open", "top/own"])
    as_another_user do
      FileUtils.mkdir_p("top/unreadable/c")
      File.chmod(0, "top/unreadable")
      assert_raise(Errno::EACCES) { Curt.rm_r("top") }
      assert_equal(["top"], Curt.rm_rf("top"))
    end
    assert_equal(%w[top top/closed top/closed/a top/unreadable top/unreadable/c], names("."))
  end

  def test_all_options_and_the_report_of_remove
    omit_unless_root
    FileUtils.chmod(0o777, @folder)
    as_another_user do
      FileUtils.mkdir_p(%w[top/a top/dir/keep top/full])
      %w[a/b.log a/c dir/keep/d dir/e full/f g.log].each { |name| File.write("top/#{name}", "") }
      File.chmod(0o500, "top/full")
      options = { contents: true, exclude: ["*.log", "dir/keep/"], retries: 1, threads: 1 }
      *counts, errors = *Curt.remove(["top", "gone"], **options)
      assert_equal([2, 0, 3, 0], counts)
      assert_equal([Errno::EACCES, Errno::ENOENT], errors.map(&:class))
      assert_equal("Permission denied @ remove_file - top/full/f", errors.first.message)
      report = Curt.remove([Pathname("top"), "gone"], force: true, make_writable: true, **options)
      assert_equal([1, 1, 3, 1, []], report.to_a)
      assert_predicate(report, :frozen?)
    end
    assert_equal(%w[a a/b.log dir dir/keep dir/keep/d g.log], names("top"))
    assert_equal([3, 4, 0, 0, []], Curt.remove("top").to_a)
  end

  def test_progress_of_remove
    plant_many("many", 25)
    shown = []
    report = Curt.remove("many", threads: 1) { |*counts| shown.push(counts) }
    assert_equal([1500, 61], shown.last)
    assert_equal([1500, 61, 0, 0, []], report.to_a)
    assert_equal(shown.sort, shown)
    plant_many("many", 25)
    assert_raise(IndexError) { Curt.remove("many", threads: 1) { raise IndexError } }
    assert_equal(:enough, Curt.remove("many") { break :enough })
    assert_raise(Timeout::Error) { Timeout.timeout(0.004) { loop { Curt.remove("many") } } }
  end

  def test_wrong_arguments_of_remove
    error = assert_raise(ArgumentError) { Curt.remove("a", exclude: "[b") }
    assert_match(/invalid pattern '\[b'/, error.message)
    assert_raise(ArgumentError) { Curt.remove("a", exclude: "a\0b") }
    assert_raise(ArgumentError) { Curt.remove("a", retries: -1) }
    assert_raise(TypeError) { Curt.remove("a", retries: "1") }
    assert_raise(TypeError) { Curt.remove(nil) }
  end

  def test_where_no_thread_can_be_started
    omit_unless_root
    FileUtils.mkdir_p(%w[top/a top/b top/c])
    FileUtils.chmod(0o777, [@folder, "top"])
    as_another_user do
      Process.setrlimit(:NPROC, 0)
      assert_equal(["top/a"], Curt.rm_rf("top/a"))
      assert_raise(ThreadError) { Curt.rm_rf(%w[top/b top/c]) }
    end
    assert_equal(%w[top top/b top/c], names("."))
  end

  def test_other_threads_run_meanwhile
    plant_many
    count = 0
    counter = Thread.new { loop { count += 1 } }
    Thread.pass while count.zero?
    before = count
    Curt.rm_r("many", threads: 1)
    assert_operator(count, :>, before + 1000)
  ensure
    counter&.kill&.join
  end

  MOST_THREADS = <<~'RUBY'
    most = 0
    Thread.new { loop { most = [most, Dir.children("/proc/self/task").size].max } }
    Thread.pass while most.zero?
    Curt.rm_r("many", threads: ARGV.fetch(0).to_i)
    print(most)
  RUBY

  def test_the_requested_threads_work
    count = lambda do |threads|
      plant_many("many", 50)
      output_of(MOST_THREADS, threads).to_i
    end
    one = count.call("1")
    # Sampling may miss short-lived threads.
    deadline = Time.now + 60
    several = count.call("4") until several.to_i > one || Time.now > deadline
    assert_operator(several, :>, one)
  end

  def test_threads_of_ruby_remove_at_the_same_time
    threads = Array.new(4) do |i|
      plant_many("many#{i}", 10)
      Thread.new { Curt.rm_r("many#{i}") }
    end
    assert_equal(%w[many0 many1 many2 many3], threads.flat_map(&:value))
    assert_empty(Dir.children("."))
  end

  def test_an_exception_of_another_thread_stops_it
    [->(thread) { thread.raise(IndexError) }, :kill.to_proc].each do |stop|
      quickest = Array.new(5) do
        plant_many
        thread = Thread.new { outcome { Curt.rm_rf("many", threads: 1) } }
        Thread.pass while Dir.children("many").size == 60
        start = now
        stop.call(thread)
        thread.join
        stopped = now - start
        assert_path_exist("many")
        FileUtils.rm_rf("many")
        stopped
      end.min
      assert_operator(quickest, :<, 0.05)
    end
  end

  def test_a_timeout_stops_it_also_with_force
    plant_many
    assert_raise(Timeout::Error) { Timeout.timeout(0.004) { Curt.rm_rf("many", threads: 1) } }
    assert_path_exist("many")
  end

  def test_a_pending_interrupt_is_raised_before
    Dir.mkdir("a")
    thread = Thread.new do
      Thread.handle_interrupt(IndexError => :on_blocking) do
        Thread.current.raise(IndexError)
        Curt.rm_rf("a")
      end
    end
    thread.report_on_exception = false
    assert_raise(IndexError) { thread.value }
    assert_path_exist("a")
  end

  def test_ctrl_c_stops_it_and_a_handler_that_returns_does_not
    plant_many
    script = <<~RUBY
      # A shell's background processes ignore SIGINT.
      trap("INT", "DEFAULT")
      trap("USR1") { $handled = true }
      puts "ready"
      $stdout.flush
      begin
        Curt.rm_rf("many", threads: 1)
        puts "removed, \#{$handled}"
      rescue Interrupt
        puts "interrupted"
      end
    RUBY
    { "INT" => "interrupted", "USR1" => "removed, true" }.each do |signal, expected|
      plant_many unless File.exist?("many")
      load_path = $LOAD_PATH.flat_map { |path| ["-I", path] }
      IO.popen([RbConfig.ruby, *load_path, "-rcurt", "-e", script]) do |io|
        assert_equal("ready\n", io.gets)
        Thread.pass while Dir.children("many").size == 60
        Process.kill(signal, io.pid)
        assert_equal(expected, io.read.chomp)
      end
      assert_equal(signal == "INT", File.exist?("many"))
    end
  end

  def test_a_signal_that_another_thread_sends_stops_it
    plant_many
    before = trap("USR1") { raise IndexError }
    Thread.new do
      Thread.pass while Dir.children("many").size == 60
      Process.kill("USR1", Process.pid)
    end
    assert_raise(IndexError) { Curt.rm_r("many", threads: 1) }
    assert_path_exist("many")
  ensure
    trap("USR1", before)
  end

  def test_a_handler_may_remove_too
    plant_many
    Dir.mkdir("a")
    before = trap("USR1") { Curt.rm_rf("a") }
    killer = Thread.new do
      Thread.pass while File.exist?("many") && Dir.children("many").size == 60
      Process.kill("USR1", Process.pid)
    end
    Curt.rm_rf("many")
    killer.join
    sleep(0.01) until !File.exist?("a")
    assert_empty(Dir.children("."))
  ensure
    trap("USR1", before)
  end

  def test_many_interrupts
    plant_many
    begun = removed = false
    thread = Thread.new do
      Thread.handle_interrupt(IndexError => :on_blocking) do
        begun = true
        removed = outcome { Curt.rm_rf("many", threads: 2) } != IndexError until removed
      end
    end
    thread.report_on_exception = false
    Thread.pass until begun
    200.times { sleep(0.001) && !removed && 2.times { thread.raise(IndexError) } }
    outcome { thread.join }
    assert_path_not_exist("many")
  end

  def test_in_a_child
    plant_many("many", 10)
    Curt.rm_rf("many")
    plant_many("many", 10)
    pid = fork do
      Curt.rm_r("many")
      exit!(File.exist?("many") ? 1 : 0)
    end
    Process.wait(pid)
    assert_predicate($?, :success?)
  end

  def test_in_a_ractor
    FileUtils.mkdir_p("a/b")
    script = "r = Ractor.new { Curt.rm_r('a') }; p r.respond_to?(:value) ? r.value : r.take"
    assert_equal("[\"a\"]\n", output_of(script))
    assert_path_not_exist("a")
  end

  def test_under_gc_stress
    FileUtils.mkdir_p(%w[a/b c])
    GC.stress = true
    Curt.rm_r(["a", Pathname("c")])
    error = outcome { Curt.rm_r(%w[a c]) }
    GC.stress = false
    assert_equal(Errno::ENOENT, error)
    assert_empty(Dir.children("."))
  end

  def test_names_may_change_and_move_meanwhile
    list = Array.new(50) { |i| plant_many("m#{i}", 2) && +"m#{i}" }
    names = list.map(&:dup)
    remover = Thread.new { Curt.rm_r(list) }
    Thread.pass while File.exist?("m0")
    while remover.alive?
      list.each { |name| name.replace("x" * 100) }
      GC.compact
    end
    assert_equal(names, remover.value)
    assert_empty(Dir.children("."))
  end

  def test_nothing_leaks
    open = -> { Dir.children("/dev/fd").size }
    before = open.call
    threads = Thread.list.size
    20.times do
      plant_many("many", 3)
      outcome { Timeout.timeout(0.0005) { Curt.rm_r(%w[many missing]) } }
      outcome { Curt.rm_r("missing") }
    end
    assert_equal(before, open.call)
    assert_operator(Thread.list.size, :<=, threads + 1)
  end

  private

  class Tree
    def initialize(random)
      @random = random
      @paths = ["missing", "missing/a"]
    end

    def plant(folder)
      Dir.mkdir(folder)
      add(folder, nil, 3)
      @paths
    end

    private

    def add(folder, below, depth)
      @random.rand(1..4).times do |i|
        name = %w[a ä - b\ c][i]
        path, inner = File.join(folder, name), [below, name].compact.join("/")
        @paths.push(inner)
        case @random.rand(5)
        when 0 then File.write(path, "a")
        when 1 then File.symlink([".", "..", "nowhere", "a"].sample(random: @random), path)
        else
          Dir.mkdir(path)
          @paths.push("#{inner}/")
          add(path, inner, depth - 1) if depth.positive?
        end
      end
    end
  end

  def outcome
    yield
  rescue StandardError => error
    error.class
  end

  def names(folder)
    Dir.glob("**/*", File::FNM_DOTMATCH, base: folder).reject { |name| name.end_with?(".") }.sort
  end

  def plant_many(folder = "many", files = 250)
    60.times do |i|
      FileUtils.mkdir_p("#{folder}/#{i}")
      files.times { |k| File.new("#{folder}/#{i}/#{k}", "w").close }
    end
  end

  def printed
    before = $stdout
    $stdout = StringIO.new
    yield
    $stdout.string
  ensure
    $stdout = before
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def omit_unless_root
    omit("needs root, to become another user") unless Process.uid.zero?
  end

  def as_another_user
    pid = fork do
      Process::Sys.setgid(65_534)
      Process::Sys.setuid(65_534)
      yield
      exit!(0)
    rescue Exception => error
      warn(error.full_message)
      exit!(1)
    end
    Process.wait(pid)
    assert_predicate($?, :success?)
  end
end
