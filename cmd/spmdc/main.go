// Command spmdc compiles data-parallel Fortran with HPF directives into Go
// programs that run on many processing elements.
//
//	spmdc run -n 4 jacobi.hpf      compile, build and run
//	spmdc compile jacobi.hpf       write the Go module ./jacobi
//	spmdc explain jacobi.hpf comm  which references communicate, and why
//
// Run it without arguments for the list of commands.
package main

import (
	"os"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.System()))
}
