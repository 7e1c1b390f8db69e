package randprog

import (
	"fmt"
	"regexp"
	"strings"
)

// One compilation by gfortran serves many programs: each becomes a subroutine of
// one that has Main for its main program. The first record of its input is the
// number of the subroutine to call, and the rest is what that one reads.

// Main is a main program that calls one of the subroutines 0 to n-1.
func Main(n int) string {
	var text strings.Builder
	text.WriteString("program all\n  integer :: which\n  read *, which\n  select case (which)\n")
	for i := range n {
		fmt.Fprintf(&text, "  case (%d)\n    call random%d\n", i, i)
	}
	text.WriteString("  end select\nend program all\n")
	return text.String()
}

// MainOfImages is a main program that calls, on all images, the subroutines from the first number on
// its command line to the second one, and prints the number in front of what each prints.
func MainOfImages(n int) string {
	var text strings.Builder
	text.WriteString("program all\n  use iso_fortran_env\n  integer :: which, from, to\n  character(len=12) :: word\n" +
		"  call get_command_argument(1, word)\n  read (word, *) from\n  call get_command_argument(2, word)\n  read (word, *) to\n" +
		"  do which = from, to\n    print '(a,i0)', '#', which\n    select case (which)\n")
	for i := range n {
		fmt.Fprintf(&text, "    case (%d)\n      call random%d\n", i, i)
	}
	text.WriteString("    end select\n    flush (output_unit)\n    sync all\n  end do\nend program all\n")
	return text.String()
}

var (
	programLine = regexp.MustCompile(`(?m)^program \w+\n`)
	moduleLine  = regexp.MustCompile(`(?m)^module (\w+)\n`)
	endLine     = regexp.MustCompile(`(?m)^end program( \w+)?\n`)
	external    = regexp.MustCompile(`(?m)^ *subroutine (\w+)\(`)
)

// Subroutine is the program with the given source as subroutine number i, with its
// modules and external procedures, which get names of their own.
func Subroutine(source string, i int) (string, error) {
	begin, end := programLine.FindStringIndex(source), endLine.FindStringIndex(source)
	if begin == nil || end == nil {
		return "", fmt.Errorf("not a program:\n%s", source)
	}
	modules, body, procedures := source[:begin[0]], source[begin[1]:end[0]], source[end[1]:]
	// Modules and external procedures have one space of names for all programs.
	text := fmt.Sprintf("%ssubroutine random%d\n%send subroutine random%d\n%s", modules, i, body, i, procedures)
	for _, m := range append(moduleLine.FindAllStringSubmatch(modules, -1), external.FindAllStringSubmatch(procedures, -1)...) {
		text = regexp.MustCompile(`\b`+m[1]+`\b`).ReplaceAllString(text, fmt.Sprintf("%s_%d", m[1], i))
	}
	return text, nil
}
