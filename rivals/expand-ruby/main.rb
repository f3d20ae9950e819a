# File.expand_path: FLAVOR ROUNDS BASES PATHS.
flavor, rounds, bases, paths = ARGV
exit 2 unless flavor == "posix"
bases = bases.split("|")
paths = paths.split("|")
sum = 0
rounds.to_i.times do
  bases.each { |base| paths.each { |path| sum += File.expand_path(path, base).length } }
end
puts sum
