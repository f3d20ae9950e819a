// Command rm-go removes one tree with Go's os.RemoveAll.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: rm-go TREE")
		os.Exit(2)
	}
	if err := os.RemoveAll(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "rm-go:", err)
		os.Exit(1)
	}
}
