# frozen_string_literal: true

require "helper"
require "rbconfig"

# Builds and loads the gem by the line for a Gemfile in README.md.
class TestBundler < Test::Unit::TestCase
  GEM = File.expand_path("..", __dir__)
  CHECKOUT = File.expand_path("../..", GEM)
  LIBRARY = File.expand_path("#{ENV.fetch("CARGO_TARGET_DIR", "target")}/debug/libcurt.a", CHECKOUT)

  def setup
    @folder = Dir.mktmpdir
  end

  def teardown
    FileUtils.rm_rf(@folder)
  end

  # Without AddressSanitizer, which would also be loaded into the compiler.
  def run_in(folder, *command)
    environment = {
      "HOME" => @folder, "LD_PRELOAD" => nil, "RUBYLIB" => nil, "RUBYOPT" => nil,
      "BUNDLE_PATH" => "#{@folder}/bundle", "BUNDLE_BUILD__CURT" => "--with-curt-dir=#{@folder}"
    }
    options = { chdir: "#{@folder}/#{folder}", err: %i[child out] }
    output = IO.popen(environment, command, **options, &:read)
    assert($?.success?, "#{command.join(" ")}: #{output}")
    output
  end

  def make_repository
    FileUtils.mkdir_p("#{@folder}/checkout/bindings")
    FileUtils.cp_r(GEM, "#{@folder}/checkout/bindings/ruby")
    FileUtils.cp("#{CHECKOUT}/Cargo.toml", "#{@folder}/checkout")
    run_in("checkout", "git", "init", "--quiet")
    run_in("checkout", "git", "add", "--all")
    author = %w[-c user.name=curt -c user.email=curt@localhost]
    run_in("checkout", "git", *author, "commit", "--quiet", "--message=gem")
  end

  def test_the_documented_line_of_a_gemfile
    omit("git is not installed") unless Curt.which("git")
    omit("#{LIBRARY} is missing") unless File.exist?(LIBRARY)
    line = File.read("#{GEM}/README.md")[/`(gem "curt", [^`]*)`/, 1]
    FileUtils.mkdir(%w[app lib include].map { |name| "#{@folder}/#{name}" })
    FileUtils.cp(LIBRARY, "#{@folder}/lib")
    FileUtils.cp("#{CHECKOUT}/bindings/c/include/curt.h", "#{@folder}/include")
    File.write("#{@folder}/app/Gemfile", line.sub("CHECKOUT", "#{@folder}/checkout"))
    make_repository
    bundle = [RbConfig.ruby, Gem.bin_path("bundler", "bundle")]
    run_in("app", *bundle, "install")
    script = %q(require "curt"; print $".grep(%r{curt[.]so}))
    loaded = run_in("app", *bundle, "exec", RbConfig.ruby, "-e", script)
    assert_match(%r{/bundle/.*/curt\.so}, loaded)
  end
end
