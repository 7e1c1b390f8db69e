package trace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// What the network interfaces of the machine send and receive is read from the counters of Linux.
// They count what all programs do.
// Source: proc_pid_net(5), /proc/net/dev.

// interfaces has the counters.
const interfaces = "/proc/net/dev"

// network has what the counters were when the run began.
type network struct {
	file  string
	began map[string]tracefile.Interface
	why   error // why they cannot be read
}

// openNetwork reads the counters in a file.
func openNetwork(file string) *network {
	n := &network{file: file, began: map[string]tracefile.Interface{}}
	list, err := counters(file)
	for _, x := range list {
		n.began[x.Name] = x
	}
	n.why = err
	return n
}

// counters is what each interface has sent and received. A line is a name with a colon, eight numbers
// of what was received, and eight of what was sent, of which the first are bytes; two lines are a head.
func counters(file string) (list []tracefile.Interface, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		name, rest, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		x := tracefile.Interface{Name: strings.TrimSpace(name)}
		const sent = 8
		fields := strings.Fields(rest)
		if len(fields) <= sent {
			return nil, fmt.Errorf("%s has no counters of %s", file, x.Name)
		}
		var err1, err2 error
		x.Received, err1 = strconv.ParseInt(fields[0], 10, 64)
		x.Sent, err2 = strconv.ParseInt(fields[sent], 10, 64)
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("%s has no counters of %s", file, x.Name)
		}
		list = append(list, x)
	}
	if len(list) == 0 {
		return nil, errors.New(file + " has no interfaces")
	}
	return list, nil
}

// end is what the interfaces that carried something have sent and received since.
func (n *network) end() *tracefile.Network {
	out := new(tracefile.Network)
	if n.why != nil {
		return &tracefile.Network{Unreadable: reason(n.why)}
	}
	list, err := counters(n.file)
	if err != nil {
		return &tracefile.Network{Unreadable: reason(err)}
	}
	for _, x := range list {
		x.Sent -= n.began[x.Name].Sent
		x.Received -= n.began[x.Name].Received
		if x.Sent < 0 || x.Received < 0 {
			return &tracefile.Network{Unreadable: "the counters of " + x.Name + " were reset"}
		}
		if x.Sent > 0 || x.Received > 0 {
			out.Interfaces = append(out.Interfaces, x)
		}
	}
	return out
}

// reason is an error without the operation that failed.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Path + ": " + path.Err.Error()
	}
	return err.Error()
}
