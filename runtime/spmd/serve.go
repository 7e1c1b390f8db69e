package spmd

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// Unit is an emitted program: what its main function gives to Main.
type Unit struct {
	Program Program
	Body    func(*PE)
}

// Serve runs programs as they are asked for, one after the other, until standard
// input ends: many runs of many programs then take one process. It is the main
// function of a bundle.
//
// A request is a list of strings: the name of a program, its standard input, and
// its command line. The reply is a list too: the exit status, standard output,
// standard error, and what the PEs did (see Program.Trace) if the program is a check
// build. In a list each string, and the list, is preceded by its length as a
// varint. A run that fails may leave PEs behind, so whoever asks should then start
// another server.
//
// With arguments the process is one run of the program that the first names, as if
// that stood alone: the others are its command line.
func Serve(units map[string]Unit) {
	if len(os.Args) > 1 {
		unit, ok := units[os.Args[1]]
		if !ok {
			fmt.Fprintf(os.Stderr, "there is no program %q\n", os.Args[1])
			os.Exit(exitUsage)
		}
		os.Exit(execute(unit.Program, os.Args[2:], unit.Body))
	}
	if err := serve(units, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitFault)
	}
}

func serve(units map[string]Unit, requests io.Reader, replies io.Writer) error {
	in, out := bufio.NewReader(requests), bufio.NewWriter(replies)
	for {
		words, err := readList(in)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the request: %w", err)
		}
		if len(words) < 2 {
			return fmt.Errorf("the request: %d words, expected a program, its input, and arguments", len(words))
		}
		unit, ok := units[words[0]]
		if !ok {
			return fmt.Errorf("the request: there is no program %q", words[0])
		}
		var stdout, stderr, trace bytes.Buffer
		p := unit.Program
		if p.Check {
			p.Trace = &trace
		}
		status := run(p, words[2:], bytes.NewReader([]byte(words[1])), &stdout, &stderr, unit.Body)
		writeList(out, fmt.Sprint(status), stdout.String(), stderr.String(), trace.String())
		if err := out.Flush(); err != nil {
			return fmt.Errorf("the reply: %w", err)
		}
	}
}

// readList reads a list of strings; io.EOF stands for the end between lists.
func readList(in *bufio.Reader) ([]string, error) {
	n, err := binary.ReadUvarint(in)
	if err != nil {
		return nil, err
	}
	var list []string
	for range n {
		size, err := binary.ReadUvarint(in)
		if err == nil {
			text := make([]byte, size)
			if _, err = io.ReadFull(in, text); err == nil {
				list = append(list, string(text))
				continue
			}
		}
		return nil, fmt.Errorf("it ends within a list: %w", err)
	}
	return list, nil
}

// writeList writes a list of strings; the error of the writer comes with Flush.
func writeList(out *bufio.Writer, list ...string) {
	out.Write(binary.AppendUvarint(nil, uint64(len(list))))
	for _, text := range list {
		out.Write(binary.AppendUvarint(nil, uint64(len(text))))
		out.WriteString(text)
	}
}
