# frozen_string_literal: true

require "helper"
require "find"
require "pathname"
require "timeout"

class TestFind < Test::Unit::TestCase
  NAMES = ["a", "b", "a b", "a-", "a.b", "line\nbreak", "\xFF\xFE".b, "ä", "z" * 255, ".h", "A", "-"]
          .freeze

  def setup
    @folder = Dir.mktmpdir("curt")
    @tree = File.join(@folder, "tree")
    FileUtils.mkdir_p(File.join(@tree, "a/b/c"))
    FileUtils.mkdir_p(File.join(@tree, "d"))
    %w[a/file a/b/x d/y z].each { |name| File.write(File.join(@tree, name), "") }
    File.symlink("a", File.join(@tree, "link"))
    File.symlink("nowhere", File.join(@tree, "broken"))
  end

  def teardown
    system("chmod", "-R", "u+rwx", @folder)
    FileUtils.remove_entry(@folder)
  end

  def test_random_trees_are_found_as_by_find
    Integer(ENV.fetch("CURT_ROUNDS", 30)).clamp(..300).times do |seed|
      random = Random.new(seed)
      tree = File.join(@folder, "random")
      plant(tree, random, 0)
      pruned = Find.find(tree).select { random.rand < 0.2 }
      [[tree], ["#{tree}/"], [tree, "#{tree}//"], [tree, @tree]].each do |paths|
        assert_equal(Find.find(*paths).to_a, Curt.find(*paths).to_a, "seed #{seed}")
        found = [Find, Curt].map { |from| prune(from, paths, pruned) }
        assert_equal(*found, "seed #{seed}")
      end
      FileUtils.remove_entry(tree)
    end
  end

  def test_paths_and_encodings
    Dir.chdir(@folder) do
      paths = ["tree", "./tree/", "tree/../tree", ".", "tree/link", "tree/link/", "tree/z",
               Pathname("tree"), @tree.encode("EUC-JP"), "tree".b, "tree".encode("US-ASCII")]
      paths.each do |path|
        [Find, Curt].map { |from| from.find(path).map { |found| [found, found.encoding] } }
                    .then { |expected, found| assert_equal(expected, found) }
      end
      assert_equal(Find.find(*paths).to_a, Curt.find(*paths).to_a)
    end
    assert_equal([], Curt.find.to_a)
    path = @tree.dup
    Curt.find(path) { |found| found << "changed" }
    assert_equal(@tree, path)
  end

  def test_with_an_internal_encoding
    verbose, $VERBOSE = $VERBOSE, nil
    Encoding.default_internal = Encoding::EUC_JP
    File.write("#{@tree}/あ", "")
    found = Curt.find(@tree).to_a
    assert_equal(Find.find(@tree).to_a, found)
    assert_equal([Encoding::EUC_JP], found.drop(1).map(&:encoding).uniq)
  ensure
    Encoding.default_internal = nil
    $VERBOSE = verbose
  end

  def test_errors_are_those_of_find
    missing = "#{@tree}/missing"
    found = []
    error = assert_raise(Errno::ENOENT) { Curt.find(@tree, missing) { |path| found << path } }
    assert_equal(["No such file or directory - #{missing}", []], [error.message, found])
    assert_raise(Errno::ENOENT) { Curt.find(missing).next }
    assert_raise(Errno::ENOENT) { Curt.find("#{@tree}/broken") {} }
    assert_raise(Errno::ENOENT) { Curt.find("") {} }
    assert_raise(TypeError) { Curt.find(1) {} }
    assert_raise(TypeError) { Curt.find([@tree]) {} }
    assert_raise(ArgumentError) { Curt.find("a\0b") {} }
    assert_raise(ArgumentError) { Curt.find(@tree, other: 1) {} }
    assert_raise(Encoding::CompatibilityError) { Curt.find(@tree.encode("UTF-16LE")) {} }
  end

  def test_an_enumerator_is_lazy
    found = Curt.find(@tree, "#{@folder}/later")
    assert_kind_of(Enumerator, found)
    assert_nil(found.size)
    Dir.mkdir("#{@folder}/later")
    assert_equal(Find.find(@tree, "#{@folder}/later").to_a, found.to_a)
    assert_equal([@tree, "#{@tree}/a"], found.first(2))
    assert_equal(["#{@tree}/z"], found.lazy.select { |path| path.end_with?("/z") }.to_a)
    assert_nil(Curt.find(@tree) {})
    Dir.rmdir("#{@folder}/later")
  end

  def test_pruned_and_unreached_directories_are_not_opened
    FileUtils.chmod(0, "#{@tree}/a/b")
    as_another do
      Curt.find(@tree, ignore_error: false) { |path| Find.prune if path == "#{@tree}/a" }
      Curt.find(@tree, ignore_error: false) { |path| break if path == "#{@tree}/a/b" }
      Curt.find(@tree, ignore_error: false) { throw :prune, false }
    end
  end

  def test_directories_that_are_not_readable
    FileUtils.mkdir_p("#{@tree}/e/below")
    { "a" => 0, "d" => 0o300, "e" => 0o600 }.each do |name, mode|
      FileUtils.chmod(mode, "#{@tree}/#{name}")
    end
    as_another do
      assert_equal(Find.find(@tree).to_a, Curt.find(@tree).to_a)
      %w[a d e].each do |name|
        found = [Find, Curt].map do |from|
          list = []
          begin
            from.find("#{@tree}/#{name}", ignore_error: false) { |path| list << path }
          rescue SystemCallError => error
            list << error.class << error.message[/ - (.*)/, 1]
          end
        end
        assert_equal(*found)
      end
    end
  end

  def test_the_block_may_leave_in_any_way
    assert_all_closed do
      assert_equal(1, Curt.find(@tree) { break 1 })
      assert_equal(2, catch(:out) { Curt.find(@tree) { |path| throw :out, 2 if path[/x$/] } })
      assert_raise(RuntimeError) { Curt.find(@tree) { |path| raise "x" if path[/x$/] } }
      assert_raise(StopIteration) { Curt.find(@tree) { raise StopIteration } }
      Curt.find(@tree) { |path| next if path }
    end
  end

  def test_garbage_collection_closes_an_abandoned_enumerator
    before = open_descriptors
    give_up = lambda do |depth|
      next give_up.(depth - 1) if depth > 0
      50.times { Curt.find(@tree).then { |found| 4.times { found.next } } }
    end
    Thread.new { give_up.(20) }.join
    20.times { break if open_descriptors <= before + 2; GC.start }
    assert_operator(open_descriptors, :<=, before + 2)
  end

  def test_find_inside_find
    found = [Find, Curt].map do |from|
      from.find("#{@tree}/a").flat_map { |path| [path] + from.find(path).to_a }
    end
    assert_equal(*found)
    pruned = [Find, Curt].map do |from|
      list = []
      from.find(@tree) do |path|
        next unless File.exist?(path)

        from.find(path) { |below| list << below; Find.prune if below == "#{@tree}/a" }
        Find.prune if path == "#{@tree}/a/b"
      end
      list
    end
    assert_equal(*pruned)
  end

  def test_the_block_may_change_the_tree
    found = Curt.find(@tree).each_with_object([]) do |path, list|
      list << path
      FileUtils.remove_entry(path) if path == "#{@tree}/a/b"
      File.rename(path, "#{@folder}/moved") if path == "#{@tree}/d"
    end
    names = found.map { |path| path.delete_prefix(@tree) }
    assert_equal(["", "/a", "/a/b", "/a/file", "/broken", "/d", "/link", "/z"], names)
    assert_raise(Errno::ENOENT) do
      Curt.find("#{@tree}/a", ignore_error: false) { |path| FileUtils.remove_entry(path) }
    end
  end

  def test_a_directory_that_is_swapped_for_a_link_is_not_followed
    FileUtils.mkdir_p("#{@folder}/secret/inside")
    [true, false].each do |ignore_error|
      FileUtils.mkdir_p("#{@tree}/a/b/c")
      found = []
      Curt.find(@tree, ignore_error: ignore_error) do |path|
        found << path
        if path == "#{@tree}/a/b"
          FileUtils.remove_entry(path)
          File.symlink("#{@folder}/secret", path)
        end
      end
      assert_equal([], found.grep(/inside/))
      assert_includes(found, "#{@tree}/z")
      File.unlink("#{@tree}/a/b")
    end
  end

  def test_trees_may_be_deeper_than_a_path_may_be_long
    depth = 300
    Dir.mkdir(top = "#{@folder}/deep")
    command = "cd \"$0\" && for i in $(seq #{depth}); do mkdir $1 && cd $1; done"
    assert(system("bash", "-c", command, top, "n" * 40))
    assert_all_closed { assert_equal(depth + 1, Curt.find(top).count) }
    enumerator = Curt.find(top)
    before = open_descriptors
    250.times { enumerator.next }
    assert_operator(open_descriptors - before, :<=, 66)
  ensure
    system("rm", "-rf", top)
  end

  def test_threads_interrupts_ractors_and_the_garbage_collector
    expected = Find.find(@tree).to_a
    assert_equal([expected] * 8, Array.new(8) { Thread.new { Curt.find(@tree).to_a } }.map(&:value))
    script = "p Ractor.new(ARGV[0]) { |tree| Curt.find(tree).to_a }.take"
    assert_equal("#{expected}\n", output_of(script, @tree))
    assert_equal("#{expected}\n", output_under_stress("p Curt.find(ARGV[0]).to_a", @tree))
    assert_all_closed do
      assert_raise(Timeout::Error) { Timeout.timeout(0.05) { loop { Curt.find(@tree) {} } } }
    end
  end

  def test_large_directories_can_be_interrupted
    Dir.mkdir(large = "#{@folder}/large")
    5_000.times { |number| File.write("#{large}/#{number}", "") }
    assert_equal(Find.find(large).to_a, Curt.find(large).to_a)
    taken = []
    5.times do
      started = nil
      thread = Thread.new { started = true; loop { Curt.find(large).to_a } }
      sleep(0.01) until started
      sleep(rand * 0.02)
      clock = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      thread.kill.join
      taken << Process.clock_gettime(Process::CLOCK_MONOTONIC) - clock
    end
    assert_operator(taken.min, :<, 0.05)
  end

  def test_it_goes_on_after_a_fork
    found = Curt.find(@tree)
    3.times { found.next }
    reader, writer = IO.pipe
    pid = fork do
      writer.write(Marshal.dump(Curt.find(@tree).to_a))
      writer.close
      exit!(0)
    end
    writer.close
    assert_equal(Find.find(@tree).to_a, Marshal.load(reader.read))
    Process.wait(pid)
    assert_equal("#{@tree}/a/b/c", found.next)
  end

  private

  def plant(path, random, depth)
    Dir.mkdir(path)
    NAMES.sample(random.rand(NAMES.size), random: random).each do |name|
      below = File.join(path.b, name.b)
      case random.rand(4)
      when 0 then depth < 4 ? plant(below, random, depth + 1) : Dir.mkdir(below)
      when 1 then File.symlink(["..", "nowhere", "a"].sample(random: random), below)
      else File.write(below, "")
      end
    end
  end

  def prune(from, paths, pruned)
    list = []
    from.find(*paths) do |path|
      list << path
      throw :prune if pruned.include?(path)
    end
    list
  end

  def open_descriptors
    Dir.children("/proc/self/fd").size
  end

  def assert_all_closed
    before = open_descriptors
    yield
    assert_equal(before, open_descriptors)
  end

  # Runs the block as another user, because file modes do not bind root.
  def as_another
    return yield if Process.uid != 0

    FileUtils.chown_R(65_534, 65_534, @folder)
    pid = fork do
      Process::Sys.setgid(65_534)
      Process::Sys.setuid(65_534)
      yield
      exit!(0)
    rescue Exception => error # rubocop:disable Lint/RescueException
      warn(error.full_message)
      exit!(1)
    end
    assert_predicate(Process.wait2(pid).last, :success?)
  end
end
