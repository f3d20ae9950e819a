// Command start-go starts programs by os/exec: SHAPE COUNT FOLDER.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

func main() {
	shape, folder := os.Args[1], os.Args[3]
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		os.Exit(2)
	}
	places := []string{"/bin"}
	if shape != "near" {
		entries, err := os.ReadDir(folder)
		if err != nil {
			os.Exit(1)
		}
		places = nil
		for _, entry := range entries {
			if entry.IsDir() {
				places = append(places, filepath.Join(folder, entry.Name()))
			}
		}
		if shape != "nowhere" {
			places = slices.Insert(places, min(196, len(places)), "/bin")
		}
	}
	os.Setenv("PATH", strings.Join(places, ":"))
	var resident []byte
	if shape == "large" {
		resident = make([]byte, 1<<30)
		for at := 0; at < len(resident); at += 4096 {
			resident[at] = 1
		}
	}
	program := "true"
	switch shape {
	case "path", "large":
		program = "/bin/true"
	case "nowhere":
		program = "curt-no-such-program"
	}
	well := 0
	for range count {
		command := exec.Command(program)
		command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
		if (command.Run() == nil) == (shape != "nowhere") {
			well++
		}
	}
	runtime.KeepAlive(resident)
	fmt.Println(well)
}
