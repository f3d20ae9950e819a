// Joins and cleans with Go's path/filepath, or checks with it: posix|beneath ROUNDS BASES PATHS. Once as often
// as ROUNDS says, and as often again by the clock.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	if len(os.Args) < 5 || (os.Args[1] != "posix" && os.Args[1] != "beneath") {
		os.Exit(2)
	}
	rounds, err := strconv.Atoi(os.Args[2])
	if err != nil {
		os.Exit(2)
	}
	bases, paths := strings.Split(os.Args[3], "|"), strings.Split(os.Args[4], "|")
	all := full
	if os.Args[1] == "beneath" {
		all = beneath
	}
	all(rounds, bases, paths)
	begin := time.Now()
	sum := all(rounds, bases, paths)
	elapsed := time.Since(begin)
	expansions := rounds * len(bases) * len(paths)
	fmt.Printf("%d %.3f\n", sum/rounds, float64(elapsed.Nanoseconds())/float64(expansions))
}

func full(rounds int, bases, paths []string) int {
	sum := 0
	for round := 0; round < rounds; round++ {
		for _, base := range bases {
			for _, path := range paths {
				if filepath.IsAbs(path) {
					sum += len(filepath.Clean(path))
				} else {
					sum += len(filepath.Join(base, path))
				}
			}
		}
	}
	return sum
}

func beneath(rounds int, bases, paths []string) int {
	sum := 0
	for round := 0; round < rounds; round++ {
		for range bases {
			for _, path := range paths {
				if filepath.IsLocal(path) {
					sum += len(path)
				}
			}
		}
	}
	return sum
}
