//go:build go1.24

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// rounds is the number of rounds, as in curt-bench.
const rounds = 20

// files returns the directory of the files, and their names. Each parent has one entry.
func files(tree string) (string, []string, error) {
	below := "."
	for {
		entries, err := os.ReadDir(filepath.Join(tree, below))
		if err != nil {
			return "", nil, err
		}
		if len(entries) == 1 && entries[0].IsDir() {
			below = filepath.Join(below, entries[0].Name())
			continue
		}
		names := make([]string, 0, len(entries))
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return below, names, nil
	}
}

func init() {
	tasks["open"] = func(words []string) error { return open(words[0]) }
}

// open opens every file in each round, and writes the number of entries.
func open(tree string) error {
	below, names, err := files(tree)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(tree)
	if err != nil {
		return err
	}
	paths := make([]string, 0, len(names))
	for _, name := range names {
		paths = append(paths, filepath.Join(below, name))
	}
	for round := 0; round < rounds; round++ {
		for _, path := range paths {
			file, err := root.Open(path)
			if err != nil {
				return err
			}
			if err := file.Close(); err != nil {
				return err
			}
		}
	}
	fmt.Println(len(names) + len(strings.Split(below, string(filepath.Separator))))
	return nil
}
