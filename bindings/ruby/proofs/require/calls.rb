# frozen_string_literal: true

require "open3"
require "tempfile"

def run(*command)
  output, errors, status = Open3.capture3(*command)
  status.success? or raise "#{command.join(" ")}: #{errors.lines.first(3).join}"
  output
end

class Calls
  # Calls that are not counted: memory, threads, signals and time.
  OTHERS = %w[brk clock_gettime clone clone3 exit_group futex madvise mmap mprotect mremap munmap
              rseq rt_sigaction rt_sigprocmask sched_yield set_robust_list timer_create
              timer_settime].freeze

  def self.of(*command)
    Tempfile.create do |log|
      run("strace", "-f", "-c", "-U", "calls,errors,name", "-o", log.path, *command)
      lines = File.readlines(log.path).map(&:split).select { |words| words[0] =~ /\A\d+\z/ }
      counts = lines.to_h { |*numbers, name| [name, [numbers[0].to_i, numbers[1].to_i]] }
      new(counts.except("total", *OTHERS))
    end
  end

  def initialize(counts)
    @counts = counts
  end

  def [](name)
    @counts.fetch(name, [0, 0])
  end

  def all
    @counts.sum { |_, (count, _)| count }
  end

  def -(other)
    names = @counts.keys | other.counts.keys
    Calls.new(names.to_h { |name| [name, self[name].zip(other[name]).map { |a, b| a - b }] })
  end

  def one_of(times)
    counts = @counts.transform_values { |count, _| count.fdiv(times).round }
    counts.reject! { |_, count| count.zero? }
    counts.empty? ? "none" : counts.map { |name, count| "#{count} #{name}" }.join(", ")
  end

  protected

  attr_reader :counts
end
