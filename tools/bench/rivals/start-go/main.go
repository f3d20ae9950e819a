// Command start-go starts programs by os/exec: SHAPE COUNT FOLDER.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

func main() {
	shape, folder := os.Args[1], os.Args[3]
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		os.Exit(2)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		os.Exit(1)
	}
	var places []string
	for _, entry := range entries {
		if entry.IsDir() {
			places = append(places, filepath.Join(folder, entry.Name()))
		}
	}
	if len(places) < 197 {
		fmt.Println(0)
		return
	}
	hello := filepath.Join(places[196], "hello")
	if shape == "near" {
		places = places[196:197]
	}
	os.Setenv("PATH", strings.Join(places, ":"))
	var resident []byte
	if shape == "large" {
		resident = make([]byte, 1<<30)
		for at := 0; at < len(resident); at += 4096 {
			resident[at] = 1
		}
	}
	program := "hello"
	switch shape {
	case "path", "large":
		program = hello
	case "linked":
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
