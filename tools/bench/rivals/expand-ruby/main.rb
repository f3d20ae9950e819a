# File.expand_path: FLAVOR ROUNDS BASES PATHS. Once as often as ROUNDS says, and as often again by the clock.
flavor, rounds, bases, paths = ARGV
exit 2 unless flavor == "posix"
rounds = rounds.to_i
bases = bases.split("|")
paths = paths.split("|")
all = lambda do
  sum = 0
  rounds.times do
    bases.each { |base| paths.each { |path| sum += File.expand_path(path, base).length } }
  end
  sum
end
all.call
begun = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
sum = all.call
elapsed = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - begun
puts format("%d %.3f", sum / rounds, elapsed.fdiv(rounds * bases.size * paths.size))
