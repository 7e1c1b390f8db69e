package predict

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/dataflow/simulate"
)

// replay is a folder that SimGrid's smpirun replays: a trace for each PE, which file list names, the
// platform with its hosts, and a script that starts smpirun.
type replay struct {
	dir   string
	files []*os.File
	out   []*bufio.Writer
	err   error // the first
}

// newReplay makes the folder, which must be new or empty.
func newReplay(dir string, pes int, m *simulate.Machine) (*replay, error) {
	old, err := os.ReadDir(dir)
	switch {
	case len(old) > 0:
		return nil, &driver.Failure{Status: driver.StatusUsage, Text: fmt.Sprintf("--smpi=%s: the folder is not empty", dir), Remedy: "name a new folder, or remove what is in this one"}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	r := &replay{dir: dir}
	var list, hosts strings.Builder
	for q := range pes {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("pe%d.trace", q)))
		if err != nil {
			return nil, errors.Join(err, r.close())
		}
		r.files, r.out = append(r.files, f), append(r.out, bufio.NewWriter(f))
		fmt.Fprintf(&list, "pe%d.trace\n", q)
		fmt.Fprintf(&hosts, "pe%d\n", q)
	}
	r.write("list", 0o666, list.String())
	r.write("hosts", 0o666, hosts.String())
	l := &m.Network
	// A message goes over the links of two hosts.
	r.write("platform.xml", 0o666, fmt.Sprintf(`<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="pes" prefix="pe" suffix="" radical="0-%d" speed="%gf" bw="%gBps" lat="%gs"/>
</platform>
`, pes-1, simulate.TracedSpeed, 1/l.PerByte, l.Latency/2))
	// Put messages are sent whether or not they are waited for, however long they are. Reductions and barriers are
	// those of the model.
	r.write("replay.sh", 0o777, fmt.Sprintf(`#!/bin/sh
cd "$(dirname "$0")" && exec smpirun -np %d -platform platform.xml -hostfile hosts -replay list \
  --cfg=network/model:CM02 --cfg=network/weight-S:0 --cfg=smpi/host-speed:%g \
  --cfg=smpi/os:0:%[3]g:0 --cfg=smpi/ois:0:%[3]g:0 --cfg=smpi/or:0:%[3]g:0 \
  --cfg=smpi/async-small-thresh:2000000000 --cfg=smpi/send-is-detached-thresh:2000000000 \
  --cfg=smpi/barrier:ompi_bruck --cfg=smpi/allreduce:redbcast --cfg=smpi/reduce:binomial --cfg=smpi/bcast:binomial_tree "$@"
`, pes, simulate.TracedSpeed, l.Overhead))
	if r.err != nil {
		return nil, errors.Join(r.err, r.close())
	}
	return r, nil
}

func (r *replay) write(name string, mode os.FileMode, text string) {
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), mode); r.err == nil {
		r.err = err
	}
}

// record writes an action of a PE.
func (r *replay) record(pe int, action string) {
	if _, err := fmt.Fprintln(r.out[pe], action); r.err == nil {
		r.err = err
	}
}

// close returns the first error.
func (r *replay) close() error {
	for q, f := range r.files {
		for _, err := range []error{r.out[q].Flush(), f.Close()} {
			if r.err == nil {
				r.err = err
			}
		}
	}
	return r.err
}
