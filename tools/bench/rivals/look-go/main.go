// Command look-go starts a program by its name so many times, by os/exec: COUNT NAME.
package main

import (
	"os"
	"os/exec"
	"strconv"
)

func main() {
	if len(os.Args) != 3 {
		os.Exit(2)
	}
	count, err := strconv.Atoi(os.Args[1])
	if err != nil {
		os.Exit(2)
	}
	for range count {
		command := exec.Command(os.Args[2])
		command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
		if command.Run() != nil {
			os.Exit(1)
		}
	}
}
