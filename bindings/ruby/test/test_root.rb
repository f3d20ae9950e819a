# frozen_string_literal: true

require "fcntl"
require "helper"
require "timeout"

class TestRoot < Test::Unit::TestCase
  def setup
    @folder = Dir.mktmpdir
    @inside = File.join(@folder, "inside")
    Dir.mkdir(@inside)
    File.write(File.join(@inside, "file"), "text")
    FileUtils.mkdir_p(File.join(@inside, "dir/deep"))
    File.write(File.join(@inside, "dir/deep/file"), "deep")
    File.write(File.join(@folder, "secret"), "secret")
    Dir.mkdir(File.join(@folder, "outside"))
    File.write(File.join(@folder, "outside/file"), "secret")
  end

  def teardown
    FileUtils.rm_rf(@folder)
  end

  def with_root(**options, &block)
    Curt::Root.open(@inside, **options, &block)
  end

  def facts(file)
    facts = [file.class, file.path, file.external_encoding, file.internal_encoding, file.binmode?,
             file.sync, file.close_on_exec?, file.autoclose?, file.stat.mode, file.size,
             file.fcntl(Fcntl::F_GETFL) & ~File::NOFOLLOW, file.fileno > 2]
    facts << (file.read(64) rescue $!.class)
    facts << (file.write("wrote") rescue $!.class)
    file.close
    facts
  end

  def outcome
    facts(yield)
  rescue SystemCallError, ArgumentError, TypeError, RangeError => error
    [error.class, error.message.sub(/ @ \w+ - /, " - ")]
  end

  def assert_as_file(path, *arguments)
    outcomes = %w[theirs ours].map do |name|
      folder = File.join(@folder, name)
      FileUtils.rm_rf(folder)
      Dir.mkdir(folder)
      File.write(File.join(folder, "file"), "text")
      Dir.mkdir(File.join(folder, "dir"))
      { "link" => "file", "to_dir" => "dir", "broken" => "missing", "one" => "two", "two" => "one",
        "slash" => "file/" }.each { |link, target| File.symlink(target, File.join(folder, link)) }
      Dir.chdir(folder) do
        opened = outcome do
          next File.open(path, *arguments) if name == "theirs"

          Curt::Root.open(".") { |root| root.open(path, *arguments) }
        end
        left = Dir.children(".").sort.map { |child| [child, File.lstat(child)] }
        [opened, left.map { |child, stat| [child, stat.size, stat.mode] }]
      end
    end
    assert_equal(outcomes[0], outcomes[1], "open(#{path.inspect}, #{arguments.inspect})")
  end

  def test_modes_are_those_of_file_open
    modes = ["r", "r+", "w", "w+", "a", "a+", "wx", "w+x", "rb", "r+b", "wb+", "ab", "rt", "wt",
             nil, "r:utf-8", "r:iso-8859-1:utf-8", "rb:binary", "r:bom|utf-8", "w:utf-16le",
             "rb:utf-16", "r:utf-16", "wbx", "q", "rbt", "", "rx", "ax", "w\0", [], Object]
    %w[file gone link gone/below].product(modes).each do |path, mode|
      assert_as_file(path, mode)
    end
    assert_as_file("file")
  end

  def test_odd_paths_are_those_of_file_open
    paths = %w[file/ file// file/. file/.. file/x ./file dir dir/ dir/. dir/.. dir/../file . ./
               dir/../gone gone/ gone/. gone/.. gone/below to_dir to_dir/ to_dir/.. link/ link/x
               broken broken/ broken/x one one/ slash slash/] + ["", "n" * 256, "n/" * 2500]
    modes = ["r", "w", "a+", "wx", File::RDONLY | File::CREAT, File::WRONLY | File::NOFOLLOW,
             File::RDONLY | File::NOFOLLOW]
    paths.product(modes).each { |path, mode| assert_as_file(path, mode) }
  end

  def test_flags_are_those_of_file_open
    access = [File::RDONLY, File::WRONLY, File::RDWR]
    bits = [File::APPEND, File::TRUNC, File::CREAT, File::EXCL, File::NONBLOCK, File::NOFOLLOW,
            File::SYNC]
    (0..bits.size).flat_map { |count| bits.combination(count).to_a }.each do |chosen|
      flags = chosen.sum
      %w[file gone link].product(access).each do |path, kind|
        assert_as_file(path, kind | flags, 0o640)
      end
    end
    [0, 0o200, 0o4640, 0o17777, -1, nil, "x", 1.5, 2**70].each do |permissions|
      assert_as_file("gone", "w", permissions)
      assert_as_file("gone", File::RDONLY | File::CREAT, permissions)
    end
    with_root do |root|
      [File::TMPFILE, File::TMPFILE | File::RDWR, -1].each do |flags|
        assert_raise(ArgumentError) { root.open("gone", flags) }
      end
    end
    assert_equal(%w[dir file], Dir.children(@inside).sort)
  end

  def test_encodings_of_content
    File.binwrite(File.join(@inside, "bom"), "\uFEFFgrün".b)
    with_root do |root|
      assert_equal("grün", root.open("bom", "r:bom|utf-8", &:read))
      root.open("latin", "w:iso-8859-1") { |file| file.write("grün") }
      assert_equal("gr\xFCn".b, File.binread(File.join(@inside, "latin")))
      assert_equal("grün", root.open("latin", "r:iso-8859-1:utf-8", &:read))
    end
  end

  def test_blocks_return_their_value_and_close
    saved = file = nil
    value = with_root do |root|
      saved = root
      root.open("file") do |opened|
        file = opened
        :value
      end
    end
    assert_equal(:value, value)
    assert_true(file.closed?)
    assert_true(saved.closed?)
    assert_raise(KeyError) do
      with_root do |root|
        saved = root
        root.open("file") { |opened| raise KeyError if (file = opened) }
      end
    end
    assert_true(file.closed? && saved.closed?)
    thrown = catch(:out) { with_root { |root| root.open("file") { |opened| throw :out, opened } } }
    assert_true(thrown.closed?)
    assert_nil(with_root { |root| break root.open("file", &:close) })
    with_root { |root| assert_equal(1, root.open("file") { |opened| opened.close || 1 }) }
    with_root { |root| assert_nil(root.close) }
  end

  def test_a_closed_root_is_an_error
    root = with_root
    file = root.open("file")
    assert_false(root.closed?)
    assert_nil(root.close)
    assert_nil(root.close)
    assert_true(root.closed?)
    error = assert_raise(IOError) { root.open("file") }
    assert_equal("closed root", error.message)
    assert_raise(IOError) { root.open("new", "w") }
    assert_equal("text", file.read)
    file.close
    assert_false(File.exist?(File.join(@inside, "new")))
  end

  def test_a_renamed_directory_remains_the_root
    with_root do |root|
      File.rename(@inside, moved = File.join(@folder, "moved"))
      Dir.mkdir(@inside)
      assert_equal("text", root.open("file", &:read))
      root.open("new", "w").close
      assert_true(File.exist?(File.join(moved, "new")))
    end
  end

  def path_like(&block)
    Object.new.tap { |object| object.define_singleton_method(:to_path, &block) }
  end

  def test_paths_are_those_of_ruby
    with_root do |root|
      assert_equal("text", root.open(path_like { "file" }, &:read))
      assert_equal("text", root.open("file".b.freeze, &:read))
      assert_equal("text", root.open("file".encode("iso-8859-1"), &:read))
      assert_raise(KeyError) { root.open(path_like { raise KeyError }) }
      assert_raise(TypeError) { root.open(path_like { 1 }) }
      [nil, 1, :file, []].each { |path| assert_raise(TypeError) { root.open(path) } }
      ["a\0b", "\0", "file\0"].each { |path| assert_raise(ArgumentError) { root.open(path) } }
      [Encoding::UTF_16LE, Encoding::UTF_32BE, Encoding::UTF_7].each do |encoding|
        path = "file".dup.force_encoding(encoding)
        assert_raise(Encoding::CompatibilityError) { root.open(path) }
      end
      assert_raise(Errno::ENOENT) { root.open("") }
      assert_raise(Errno::ENAMETOOLONG) { root.open("x" * 256) }
      assert_raise(Errno::ENAMETOOLONG) { root.open("x/" * 3000) }
      assert_raise(ArgumentError) { root.open }
      assert_raise(ArgumentError) { root.open("a", "r", 0, 0) }
      assert_raise(TypeError) { root.open("file", mode: "r") }
      name = +"file"
      file = root.open(name)
      name.replace("another")
      assert_equal("file", file.path)
      file.close
    end
  end

  def test_roots_are_opened_by_paths_of_ruby
    inside = @inside
    assert_false(Curt::Root.open(path_like { inside }, &:closed?))
    assert_raise(KeyError) { Curt::Root.open(path_like { raise KeyError }) }
    assert_raise(TypeError) { Curt::Root.open(nil) }
    assert_raise(ArgumentError) { Curt::Root.open("#{@inside}\0") }
    assert_raise(Encoding::CompatibilityError) { Curt::Root.open("x".encode("utf-16le")) }
    assert_raise(Errno::ENOTDIR) { Curt::Root.open(File.join(@inside, "file")) }
    error = assert_raise(Errno::ENOENT) { Curt::Root.open("is/not/there") }
    assert_match(/ - is\/not\/there\z/, error.message)
    assert_raise(ArgumentError) { Curt::Root.open(@inside, wrong: 1) }
    assert_raise(ArgumentError) { Curt::Root.open(@inside, {}) }
    assert_raise(ArgumentError) { Curt::Root.open }
    assert_raise(NoMethodError) { Curt::Root.new(@inside) }
    with_root do |root|
      assert_raise(TypeError) { Curt::Root.allocate }
      assert_raise(TypeError) { root.dup }
      assert_raise(TypeError) { root.clone }
      assert_raise(TypeError) { Marshal.dump(root) }
    end
    assert_instance_of(sub = Class.new(Curt::Root), sub.open(@inside))
  end

  def descriptors
    GC.start
    Dir.children("/dev/fd").size
  end

  def test_no_failure_leaves_a_descriptor
    before = descriptors
    with_root do |root|
      100.times do
        assert_raise(Errno::EXDEV) { root.open("../secret") }
        assert_raise(Errno::EISDIR) { root.open(".", "r:bom|utf-8") }
        assert_raise(Errno::EISDIR) { root.open("dir", "w") }
        assert_raise(ArgumentError) { root.open("file", "r:utf-16") }
      end
      singleton = File.singleton_class
      singleton.alias_method(:kept_for_fd, :for_fd)
      begin
        singleton.define_method(:for_fd) { |*| raise KeyError }
        100.times { assert_raise(KeyError) { root.open("file") } }
      ensure
        singleton.send(:remove_method, :for_fd)
        singleton.remove_method(:kept_for_fd)
      end
      # A half-created File must not close a reused descriptor.
      files = Array.new(100) { root.open("file") }
      GC.start
      assert_equal(["text"] * 100, files.map(&:read))
      files.each(&:close)
    end
    assert_equal(before, descriptors)
    300.times { with_root.open("file") }
    10.times { GC.start }
    assert_operator(descriptors, :<, before + 50)
  end

  def run_script(script, *arguments, **options)
    load_path = $LOAD_PATH.grep(/ruby/).flat_map { |folder| ["-I", folder] }
    command = [RbConfig.ruby, "-W:no-experimental", *load_path, "-r", "curt", "-e", script]
    IO.popen([*command, *arguments, err: %i[child out], **options], &:read)
  end

  def test_exhausted_descriptors
    script = <<~'RUBY'
      root = Curt::Root.open(ARGV[0])
      Process.setrlimit(Process::RLIMIT_NOFILE, 64)
      # As File.open does, Root#open frees unreachable files.
      1000.times { root.open("file") }
      GC.start
      saved = []
      begin
        loop { saved << root.open("file") }
      rescue Errno::EMFILE => error
        puts error.message, saved.size > 40
      end
      begin
        Curt::Root.open(ARGV[0])
      rescue Errno::EMFILE
        puts "no root"
      end
      saved.each(&:close)
      puts root.open("file", &:read)
    RUBY
    assert_equal("Too many open files @ open - file\ntrue\nno root\ntext\n",
                 run_script(script, @inside))
  end

  def test_opening_a_fifo_does_not_wait
    File.mkfifo(File.join(@inside, "fifo"))
    Timeout.timeout(20) do
      with_root do |root|
        assert_raise(Errno::ENXIO) { root.open("fifo", "w") }
        reader = root.open("fifo")
        assert_equal(0, reader.fcntl(Fcntl::F_GETFL) & File::NONBLOCK)
        writer = root.open("fifo", "w")
        thread = Thread.new { reader.read(3) }
        thread.report_on_exception = false
        writer.write("abc")
        writer.flush
        assert_equal("abc", thread.value)
        thread = Thread.new { reader.read(3) }
        thread.report_on_exception = false
        Thread.pass until thread.stop?
        thread.raise(KeyError)
        assert_raise(KeyError) { thread.join }
        [reader, writer].each(&:close)
      end
    end
  end

  def test_threads_may_share_a_root_that_is_closed_meanwhile
    before = descriptors
    20.times do
      root = with_root
      threads = Array.new(4) do
        Thread.new do
          loop { root.open("file") { |file| raise file.path unless file.read == "text" } }
        rescue IOError => error
          error.message
        end
      end
      sleep(0.005)
      root.close
      assert_equal(["closed root"] * 4, threads.map(&:value))
    end
    assert_equal(before, descriptors)
  end

  def test_interrupts_leave_no_descriptor
    before = descriptors
    with_root do |root|
      200.times do
        thread = Thread.new do
          loop { root.open("dir/deep/file", &:read) }
        end
        thread.report_on_exception = false
        sleep(0.001)
        thread.raise(KeyError)
        assert_raise(KeyError) { thread.join(20) }
      end
    end
    assert_equal(before, descriptors)
  end

  # A File whose descriptor was already closed would close a reused descriptor when it is collected.
  def test_an_interrupt_at_the_last_step_leaves_no_file_with_a_closed_descriptor
    interrupt = TracePoint.new(:c_return) { |at| raise KeyError if at.method_id == :autoclose= }
    before = descriptors
    with_root do |root|
      assert_raise(KeyError) { interrupt.enable { root.open("dir/deep/file") } }
    end
    left = ObjectSpace.each_object(File).reject(&:closed?)
    assert_empty(left.select { |file| file.path == "dir/deep/file" && file.autoclose? })
    assert_equal(before, descriptors)
  end

  def test_after_fork
    with_root do |root|
      child = fork do
        content = root.open("file", &:read)
        root.close
        exit!(content == "text" ? 0 : 1)
      end
      assert_equal(0, Process.wait2(child)[1].exitstatus)
      assert_equal("text", root.open("file", &:read))
    end
  end

  def test_in_ractors
    script = <<~'RUBY'
      ractors = Array.new(3) do
        Ractor.new(ARGV[0]) do |folder|
          Curt::Root.open(folder, strict: true) do |root|
            contents = Array.new(200) { root.open("file", &:read) }
            begin
              root.open("../secret")
            rescue Errno::EXDEV
              [contents.uniq, Curt.which("sh", path: "/usr/bin:/bin").class]
            end
          end
        end
      end
      results = ractors.map { |ractor| ractor.respond_to?(:value) ? ractor.value : ractor.take }
      p results.uniq
      root = Curt::Root.open(ARGV[0])
      begin
        Ractor.new(root) { |got| got.open("file") }
      rescue TypeError => error
        puts error.message
      end
      p Ractor.shareable?(root)
    RUBY
    assert_equal(<<~OUTPUT, run_script(script, @inside))
      [[["text"], String]]
      allocator undefined for Curt::Root
      false
    OUTPUT
  end

  def test_under_gc_stress
    GC.stress = true
    3.times do
      with_root(strict: true) do |root|
        raise "content" unless root.open("dir/deep/file", "r:bom|utf-8", &:read) == "deep"

        begin
          root.open("../secret")
        rescue Errno::EXDEV
          next
        end
        raise "left"
      end
    end
  ensure
    GC.stress = false
  end

  def test_as_another_user
    omit("only root can become another user") if Process.uid != 0
    File.write(File.join(@inside, "mine"), "", perm: 0o600)
    Dir.mkdir(File.join(@inside, "closed"), 0o700)
    File.chmod(0o755, @folder, @inside)
    child = fork do
      root = with_root
      Process::Sys.setgid(65_534)
      Process::Sys.setuid(65_534)
      seen = ["file", "mine", "closed/x"].map { |path| root.open(path, &:read) rescue $!.class }
      seen << (root.open("new", "w") rescue $!.class)
      exit!(seen == ["text", Errno::EACCES, Errno::EACCES, Errno::EACCES] ? 0 : 1)
    end
    assert_equal(0, Process.wait2(child)[1].exitstatus)
  end

  def test_swapped_links_lead_nowhere
    dir = File.join(@inside, "dir")
    swapper = fork do
      loop do
        File.rename(dir, "#{@folder}/parked")
        File.symlink("../outside", dir)
        File.unlink(dir)
        File.rename("#{@folder}/parked", dir)
      end
    end
    seen = Hash.new(0)
    finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) +
             Float(ENV.fetch("CURT_RACE_SECONDS", "0.5"))
    FileUtils.mkdir_p(File.join(@folder, "outside/deep"))
    File.write(File.join(@folder, "outside/deep/file"), "secret")
    [false, true].cycle do |strict|
      with_root(strict: strict) do |root|
        50.times do
          seen[root.open("dir/deep/file", &:read)] += 1
        rescue SystemCallError => error
          seen[error.class] += 1
        end
      end
      left = finish - Process.clock_gettime(Process::CLOCK_MONOTONIC)
      break if left < 0 && seen["deep"] > 0 && seen[Errno::EXDEV] > 0

      assert_operator(left, :>, -60, seen.inspect)
    end
    assert_empty(seen.keys - ["deep", Errno::ENOENT, Errno::EXDEV, Errno::ELOOP, Errno::EAGAIN])
  ensure
    Process.kill(:KILL, swapper)
    Process.wait(swapper)
  end
end
