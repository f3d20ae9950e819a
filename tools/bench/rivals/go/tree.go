//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

func init() {
	for _, name := range []string{"ls", "long", "walk", "sizes", "du"} {
		task := name
		tasks[task] = func(words []string) error {
			out := bufio.NewWriterSize(os.Stdout, 64*1024)
			read := walk
			if task == "ls" || task == "long" {
				read = list
			}
			if err := read(task, words[0], out); err != nil {
				return err
			}
			return out.Flush()
		}
	}
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
