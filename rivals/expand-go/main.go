// Joins and cleans with Go's path/filepath: FLAVOR ROUNDS BASES PATHS.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) < 5 || os.Args[1] != "posix" {
		os.Exit(2)
	}
	rounds, err := strconv.Atoi(os.Args[2])
	if err != nil {
		os.Exit(2)
	}
	bases, paths := strings.Split(os.Args[3], "|"), strings.Split(os.Args[4], "|")
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
	fmt.Println(sum)
}
