// Command tree-go reads a directory with os.ReadDir (ls, long) or a tree with filepath.WalkDir
// (walk, sizes, du).
package main

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

func main() {
	if len(os.Args) != 3 {
		usage()
	}
	out := bufio.NewWriterSize(os.Stdout, 64*1024)
	var err error
	switch task, tree := os.Args[1], os.Args[2]; task {
	case "ls", "long":
		err = list(task, tree, out)
	case "walk", "sizes", "du":
		err = walk(task, tree, out)
	default:
		usage()
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tree-go:", err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: tree-go ls|long|walk|sizes|du TREE")
	os.Exit(2)
}

func list(task, tree string, out *bufio.Writer) error {
	entries, err := os.ReadDir(tree)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		target := ""
		if task == "long" {
			info, err := entry.Info()
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%d ", info.Size())
			if info.Mode()&fs.ModeSymlink != 0 {
				link, err := os.Readlink(filepath.Join(tree, entry.Name()))
				if err != nil {
					return err
				}
				target = " -> " + link
			}
		}
		out.WriteString(entry.Name())
		out.WriteString(target)
		out.WriteByte('\n')
	}
	return nil
}

func walk(task, tree string, out *bufio.Writer) error {
	var total int64
	err := filepath.WalkDir(tree, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if task != "walk" {
			info, err := entry.Info()
			if err != nil {
				return err
			}
			if task == "du" {
				total += info.Sys().(*syscall.Stat_t).Blocks * 512
				return nil
			}
			fmt.Fprintf(out, "%d ", info.Size())
		}
		out.WriteString(path)
		out.WriteByte('\n')
		return nil
	})
	if task == "du" {
		fmt.Fprintln(out, (total+1023)/1024)
	}
	return err
}
