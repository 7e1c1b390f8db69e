package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/internal/randprog"
)

// expect runs gfortran's programs, which are compiled as one: each becomes a
// subroutine, and the number of the one to call is the first record of the input.
func (r *RandomReport) expect(dir string, list []*sample) (reference string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", driver.Usagef("check the disk", "%v", err)
	}
	if len(list) > 0 && list[0].Images {
		return r.expectImages(dir, list)
	}
	var text strings.Builder
	text.WriteString(randprog.Main(len(list)))
	for i, s := range list {
		one, err := randprog.Subroutine(s.Source, i)
		if err != nil {
			return "", fmt.Errorf("seed %d: %w", s.seed, err)
		}
		text.WriteString(one)
	}
	source := filepath.Join(dir, "all.f90")
	if err := os.WriteFile(source, []byte(text.String()), 0o666); err != nil {
		return "", driver.Usagef("check the disk", "%v", err)
	}
	program, err := gfortran([]string{source}, filepath.Join(dir, "all"), "-O0")
	if err != nil {
		return "", err
	}
	if program == "" {
		return "the first run of each", nil
	}
	for i, s := range list {
		want, err := execute(r.Context, r.Limit, fmt.Appendf(nil, "%d\n%s", i, s.Input), program)
		if err != nil {
			return "", fmt.Errorf("seed %d: gfortran's program: %w\n%s", s.seed, err, s.Source)
		}
		if err := s.expects(want); err != nil {
			return "", err
		}
	}
	return "gfortran", nil
}

// crashed is the feature of a program for which gfortran makes one that a signal ends, which no Fortran program brings about.
const crashed = "compared:with its own first run, as gfortran's program crashed"

// expects takes what gfortran's program did.
func (s *sample) expects(want *Outcome) error {
	switch {
	case want.signalled():
		s.Features[crashed]++
	case !want.stopped():
		return fmt.Errorf("seed %d: gfortran's program: %s\n%s", s.seed, want.Stderr, s.Source)
	default:
		s.want = want
	}
	return nil
}
