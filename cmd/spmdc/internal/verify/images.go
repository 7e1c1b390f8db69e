package verify

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/fortranc"
	"github.com/spmdc/spmdc/internal/compare"
)

// A program with coarrays has no plan: it communicates where its source says so.
// What can be wrong with it is the program, and the compiler: a build with the
// checks of --check and one with the race detector run on each number of images,
// and print what OpenCoarrays' program prints, in any order of lines.

// ImageRow is a line of the table of such a program.
type ImageRow struct {
	Build  string // "checked" or "race"
	Images int
	Fault  error // nil: all is right
}

// images verifies a program with coarrays.
func (r *Report) images(b driver.Builder, dir string, c *driver.Compilation, input []byte, o Options) error {
	reference := r.coarrayReference(dir, c)
	want := map[int]*Outcome{}
	for _, n := range o.PEs {
		if reference == nil {
			break
		}
		out, err := execute(o.Context, o.Limit, input, reference(n)[0], reference(n)[1:]...)
		if f := driver.InterruptedBy(o.Context); f != nil {
			return f
		}
		if err != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("OpenCoarrays' program on %d images: %v", n, err))
			continue
		}
		if err := gather(out, dir, n); err != nil {
			r.Notes = append(r.Notes, err.Error())
			continue
		}
		want[n] = out
	}
	if len(want) > 0 {
		r.Reference = "OpenCoarrays"
	}
	races := []bool{false, true}
	if o.Checkpoints || o.Launch.Transport != driver.InProcess {
		races = races[:1]
	}
	for _, race := range races {
		compile := o.Compile
		compile.Check, compile.Transport = !race, o.Launch.Transport
		b.Race = race
		again := c.Again(compile)
		program, err := b.Program(again)
		c.Diags = again.Diags
		if err != nil {
			return err
		}
		name := map[bool]string{false: "checked", true: "race"}[race]
		for _, n := range o.PEs {
			if o.Checkpoints {
				err := restarts(untraced(o.Context, o.Limit, o.Launch, program, ""), dir, input, n, want[n], rand.New(rand.NewPCG(uint64(n), 2)), mostChains, true)
				if f := driver.InterruptedBy(o.Context); f != nil {
					return f
				}
				r.Images = append(r.Images, ImageRow{name, n, err})
				continue
			}
			got, _, err := untraced(o.Context, o.Limit, o.Launch, program, "")(input, "-n", strconv.Itoa(n))
			if f := driver.InterruptedBy(o.Context); f != nil {
				return f
			}
			if err == nil {
				err = judge(got, want[n])
			}
			if err == nil && want[n] == nil {
				want[n] = got
			}
			r.Images = append(r.Images, ImageRow{name, n, err})
		}
	}
	if r.Reference == "" {
		r.Reference = "each other"
	}
	return nil
}

// outputs is the folder of what n images print.
func outputs(dir string, n int) string { return filepath.Join(dir, "images"+strconv.Itoa(n)) }

// gather puts the outputs of several images together.
func gather(out *Outcome, dir string, n int) error {
	if n == 1 {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(outputs(dir, n), "*", "rank.*", "stdout"))
	if err != nil || len(files) != n && out.Status == 0 {
		return fmt.Errorf("OpenCoarrays' program on %d images left %d files of output", n, len(files))
	}
	out.Stdout = ""
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		out.Stdout += string(text)
	}
	return nil
}

// judge compares an outcome with the one wanted, if there is one.
func judge(got, want *Outcome) error {
	switch {
	case !got.stopped():
		return &Fault{Violation, strings.TrimSpace(got.Stderr)}
	case want == nil:
		return nil
	case (got.Status == 0) != (want.Status == 0):
		return &Fault{Wrong, fmt.Sprintf("want exit status %d, got %d", want.Status, got.Status)}
	}
	if err := compare.Lines(want.Stdout, got.Stdout, compare.Default); err != nil {
		return &Fault{Wrong, err.Error()}
	}
	return nil
}

// coarrayReference compiles c with OpenCoarrays and returns the command that runs
// it on n images; nil where it cannot be had. Open MPI's windows do not work for one
// process, for which gfortran alone makes the program.
func (r *Report) coarrayReference(dir string, c *driver.Compilation) func(n int) []string {
	one, many := filepath.Join(dir, "one"), filepath.Join(dir, "many")
	sources, flags, err := c.WriteFortran(dir)
	if err == nil {
		flags = append(flags, "-O1", "-ffp-contract=off")
		err = fortranc.Compile("caf", sources, many, flags...)
	}
	if err == nil {
		err = fortranc.Compile("gfortran", sources, one, append(flags, "-fcoarray=single")...)
	}
	if errors.Is(err, fortranc.ErrMissing) {
		err = fmt.Errorf("%w: the runs are compared with each other", err)
	}
	if err != nil {
		r.Notes = append(r.Notes, err.Error())
		return nil
	}
	return func(n int) []string {
		if n == 1 {
			return []string{one}
		}
		return append(mpiexec(dir, n), many)
	}
}

// mpiexec starts a program of OpenCoarrays on n images. There is a file for what each of them prints:
// on a shared stream lines would be torn.
func mpiexec(dir string, n int) []string {
	return []string{"env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		"mpiexec", "-np", strconv.Itoa(n), "--oversubscribe", "--output-filename", outputs(dir, n)}
}
