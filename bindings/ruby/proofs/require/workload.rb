# frozen_string_literal: true

require "fileutils"

# A set of files to require.
#
#   workload = Workload.plant("flat-60", folder)
#   workload.set_load_path
#   workload.run
#
# | workload | contents |
# |---|---|
# | +flat+, +flat-60+, +flat-90+ | the case of report 4: requires 100 empty files from the last root, repeated 30 times |
# | +nested+, +nested-60+, +nested-90+ | the same, with the last root five levels deeper |
# | +gems-60+, +gems-90+ | 772 and 1,146 features in as many roots, shaped like gems, once |
# | +rails+ | the installed Rails, with the roots of its gems, once |
#
# The load path has the roots of gems first, then Ruby's own eight.
class Workload
  NAMES = %w[flat flat-60 flat-90 nested nested-60 nested-90 gems-60 gems-90 rails].freeze
  FEATURES = { 0 => 0, 60 => 772, 90 => 1146 }.freeze
  FILES = 100
  ROUNDS = 3 * 10

  attr_reader :rounds
  attr_reader :names

  # Creates the files of a workload unless they exist.
  def self.plant(name, folder)
    new(name, folder).tap(&:plant)
  end

  def initialize(name, folder)
    kind, roots = name.split("-")
    @gems = Gems.new(File.join(folder, "gems-#{roots.to_i}"), roots.to_i)
    @first, @own, @last, @rounds = @gems.roots, $LOAD_PATH.dup, [], 1
    case kind
    when "flat", "nested"
      last = kind == "flat" ? "flat" : "nested/a/b/c/d/e"
      @last = [File.join(folder, last)]
      @names = Array.new(FILES) { |at| "#{"nested_" if kind == "nested"}empty#{at}" }
      @rounds = ROUNDS
    when "gems"
      @names = @gems.names
    when "rails"
      @first = rails_roots(File.join(folder, "rails.roots"))
      @names = ["rails/all"]
    else
      raise ArgumentError, "workloads are: #{NAMES.join(" ")}"
    end
  end

  def plant
    @gems.plant
    @last.each do |root|
      FileUtils.mkdir_p(root)
      @names.each { |name| FileUtils.touch(File.join(root, "#{name}.rb")) }
    end
  end

  def roots
    @first.size + @own.size + @last.size
  end

  def set_load_path
    $LOAD_PATH.replace(@first + @own + @last)
  end

  def run(rounds = @rounds, forget: @rounds > 1)
    loaded = $LOADED_FEATURES.dup if forget
    rounds.times do
      @names.each { |name| require name }
      $LOADED_FEATURES.replace(loaded) if loaded
    end
  end

  private

  # Returns the roots that Bundler would set, cached in the file +list+. Raises
  # Gem::MissingSpecError without Rails.
  def rails_roots(list)
    unless File.exist?(list)
      gem "rails"
      FileUtils.mkdir_p(File.dirname(list))
      File.write(list, ($LOAD_PATH - @own).join("\n"))
      $LOAD_PATH.replace(@own)
    end
    File.readlines(list, chomp: true)
  end

  # Every fourth gem extends the gem before it, in a folder named after that gem.
  class Gems
    def initialize(folder, count)
      @folder, @count = folder, count
    end

    def roots
      Array.new(@count) { |at| File.join(@folder, "#{gem(at).tr("/", "-")}-1.#{at % 7}.0/lib") }
    end

    def names
      Array.new(@count) { |at| gem(at) }
    end

    def plant
      return if @count.zero? || File.exist?(@folder)

      partial = "#{@folder}.partial"
      FileUtils.rm_rf(partial)
      roots.each_with_index do |root, at|
        write = ->(name, text) do
          file = File.join(root.sub(@folder, partial), "#{name}.rb")
          FileUtils.mkdir_p(File.dirname(file))
          File.write(file, text)
        end
        parts = parts(at)
        write.(gem(at), parts.map { |name| "require \"#{name}\"\n" }.join)
        parts.each { |name| write.(name, text(name)) }
      end
      File.rename(partial, @folder)
    end

    private

    def gem(at)
      at % 4 == 3 ? "#{gem(at - 1)}/extension#{at}" : "library#{at}"
    end

    def parts(at)
      sizes = Array.new(@count) { |gem| 1 + gem * 7 % 13 }
      ends = [at, at + 1].map { |gems| FEATURES.fetch(@count) * sizes.take(gems).sum / sizes.sum }
      Array.new(ends[1] - ends[0] - 1) do |part|
        "#{gem(at)}/#{["", "group#{part / 8}/", "group#{part / 8}/inner/"][part % 3]}part#{part}"
      end
    end

    def text(name)
      modules = name.split("/").map(&:capitalize)
      <<~RUBY
        # frozen_string_literal: true

        #{modules[..-2].map { |one| "module #{one}; " }.join}class #{modules.last}
          attr_reader :name, :options

          def initialize(name, options = {})
            @name = name
            @options = options
          end

          def to_s
            "\#{self.class}: \#{name}"
          end
        end#{"; end" * (modules.size - 1)}
      RUBY
    end
  end
end
