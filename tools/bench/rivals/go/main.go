// Go's standard library in curt-bench: os.RemoveAll (rm), os.ReadDir (ls, long), filepath.WalkDir
// (walk, sizes, du) and os.Root (open).
package main

import (
	"fmt"
	"os"
)

// tasks maps a task to a function of its arguments.
var tasks = map[string]func(words []string) error{
	"rm": func(words []string) error { return os.RemoveAll(words[0]) },
}

func main() {
	if len(os.Args) < 3 || tasks[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: rival-go TASK TREE")
		os.Exit(2)
	}
	if err := tasks[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "rival-go:", err)
		os.Exit(1)
	}
}
