package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
)

var (
	programLine = regexp.MustCompile(`(?m)\Aprogram \w+\n`)
	endLine     = regexp.MustCompile(`(?m)^end program( \w+)?\n`)
	external    = regexp.MustCompile(`(?m)^ *subroutine (\w+)\(`)
)

// expect runs gfortran's programs, which are compiled as one: each becomes a
// subroutine, and the number of the one to call is the first record of the input.
func (r *RandomReport) expect(dir string, list []*sample) (reference string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", driver.Usagef("check the disk", "%v", err)
	}
	var text strings.Builder
	text.WriteString("program all\n  integer :: which\n  read *, which\n  select case (which)\n")
	for i := range list {
		fmt.Fprintf(&text, "  case (%d)\n    call random%d\n", i, i)
	}
	text.WriteString("  end select\nend program all\n")
	for i, s := range list {
		end := endLine.FindStringIndex(s.Source)
		if !programLine.MatchString(s.Source) || end == nil {
			return "", fmt.Errorf("seed %d: not a program:\n%s", s.seed, s.Source)
		}
		body, procedures := programLine.ReplaceAllString(s.Source[:end[0]], ""), s.Source[end[1]:]
		// External procedures have one space of names for all programs.
		for _, m := range external.FindAllStringSubmatch(procedures, -1) {
			own, other := regexp.MustCompile(`\b`+m[1]+`\b`), fmt.Sprintf("%s_%d", m[1], i)
			body, procedures = own.ReplaceAllString(body, other), own.ReplaceAllString(procedures, other)
		}
		fmt.Fprintf(&text, "subroutine random%d\n%send subroutine random%d\n%s", i, body, i, procedures)
	}
	source := filepath.Join(dir, "all.f90")
	if err := os.WriteFile(source, []byte(text.String()), 0o666); err != nil {
		return "", driver.Usagef("check the disk", "%v", err)
	}
	program, err := gfortran(source, filepath.Join(dir, "all"), "-O0")
	if err != nil {
		return "", err
	}
	if reference = fmt.Sprintf("plan %s on %d PEs", r.Plans[0], r.PEs[0]); program == "" {
		return reference, nil
	}
	for i, s := range list {
		want, err := execute(r.Limit, fmt.Appendf(nil, "%d\n%s", i, s.Input), program)
		if err != nil {
			return "", fmt.Errorf("seed %d: gfortran's program: %w\n%s", s.seed, err, s.Source)
		}
		if !want.stopped() {
			return "", fmt.Errorf("seed %d: gfortran's program: %s\n%s", s.seed, want.Stderr, s.Source)
		}
		s.want = want
	}
	return "gfortran", nil
}
