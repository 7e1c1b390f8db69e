package verify

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/fortranc"
	"github.com/spmdc/spmdc/internal/randprog"
)

// referenceLimit is how long OpenCoarrays' programs of a batch may take, or one of them alone.
const referenceLimit = time.Minute

// expectImages runs OpenCoarrays' programs on each number of images, and gfortran's on one. All are
// compiled as one, which calls some after each other: where one of them fails or hangs, each is run
// alone, and that one is compared with nothing.
func (r *RandomReport) expectImages(dir string, list []*sample) (reference string, err error) {
	var text strings.Builder
	text.WriteString(randprog.MainOfImages(len(list)))
	for i, s := range list {
		one, err := randprog.Subroutine(s.Source, i)
		if err != nil {
			return "", fmt.Errorf("seed %d: %w", s.seed, err)
		}
		text.WriteString(one)
	}
	source, one, many := filepath.Join(dir, "all.f90"), filepath.Join(dir, "one"), filepath.Join(dir, "many")
	if err := os.WriteFile(source, []byte(text.String()), 0o666); err != nil {
		return "", driver.Usagef("check the disk", "%v", err)
	}
	flags := []string{"-O0", "-ffp-contract=off", "-fwrapv"}
	err = fortranc.Compile("gfortran", []string{source}, one, append(flags, "-fcoarray=single")...)
	if err == nil {
		err = fortranc.Compile("caf", []string{source}, many, flags...)
	}
	if errors.Is(err, fortranc.ErrMissing) {
		return "the first run of each", nil
	}
	if err != nil {
		return "", err
	}
	for _, n := range r.PEs {
		for _, s := range list {
			if s.wants == nil {
				s.wants = map[int]*Outcome{}
			}
		}
		command := []string{one}
		if n > 1 {
			command = append(mpiexec(filepath.Join(dir, "all"), n), many)
		}
		if r.outputsOf(dir, command, list, 0, n) {
			continue
		}
		for i := range list {
			r.outputsOf(dir, command, list[i:i+1], i, n)
		}
	}
	return "OpenCoarrays", nil
}

// mark is the line that an image prints in front of what a program prints.
var mark = regexp.MustCompile(`(?m)^#[0-9]+\n`)

// outputsOf sets what programs first and so on print on n images. It reports whether they come to
// a regular end.
func (r *RandomReport) outputsOf(dir string, command []string, list []*sample, first, n int) bool {
	args := append(command[1:len(command):len(command)], strconv.Itoa(first), strconv.Itoa(first+len(list)-1))
	folder := outputs(filepath.Join(dir, "all"), n)
	os.RemoveAll(folder)
	out, err := execute(r.Context, referenceLimit, nil, command[0], args...)
	if err != nil || out.Status != 0 {
		return false
	}
	texts := []string{out.Stdout}
	if n > 1 {
		files, err := filepath.Glob(filepath.Join(folder, "*", "rank.*", "stdout"))
		if err != nil || len(files) != n {
			return false
		}
		texts = nil
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return false
			}
			texts = append(texts, string(text))
		}
	}
	wants := make([]string, len(list))
	for _, text := range texts {
		parts := mark.Split(text, -1)
		if len(parts) != len(list)+1 {
			return false
		}
		for i := range list {
			wants[i] += parts[i+1]
		}
	}
	for i, s := range list {
		// gfortran's programs for one image end at CHANGE TEAM; OpenCoarrays' have no atomic
		// operations with some MPIs.
		if wants[i] != "" && !strings.Contains(wants[i], "We apologize but the atomic operation") {
			s.wants[n] = &Outcome{Stdout: wants[i]}
		}
	}
	return true
}

// runImages runs a program with coarrays on each number of images.
func (r *RandomReport) runImages(server *server, s *sample, tally *Tally) *Failing {
	for _, way := range s.options.ways() {
		for _, n := range r.PEs {
			got, _, err := server.run(variant(s.seed, way), nil, "-n", strconv.Itoa(n))
			if err == nil {
				err = judge(got, s.wants[n])
			}
			compared := "compared:with OpenCoarrays"
			if s.wants[n] == nil {
				compared = "compared:with nothing"
			}
			r.mu.Lock()
			tally.ran(way.Plan, s.options.Plain, Counts{})
			tally.Features[compared]++
			r.mu.Unlock()
			if err != nil {
				return s.fails(way, n, err)
			}
		}
	}
	return nil
}
