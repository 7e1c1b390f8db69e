package trace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// What the network interfaces of the machine send and receive is read from the counters of Linux.
// They count what all programs do.
// Source: Documentation/ABI/testing/sysfs-class-net-statistics of Linux.

// interfaces is where the counters are.
const interfaces = "/sys/class/net"

// network has what the counters were when the run began.
type network struct {
	root  string
	began []tracefile.Interface
	why   error // why they cannot be read
}

// openNetwork reads the counters below a folder.
func openNetwork(root string) *network {
	n := &network{root: root}
	entries, err := os.ReadDir(root)
	if err != nil {
		n.why = err
		return n
	}
	for _, entry := range entries {
		if _, err := os.Stat(filepath.Join(root, entry.Name(), "statistics")); err != nil {
			continue // not an interface
		}
		x, err := n.read(entry.Name())
		if err != nil {
			n.why = err
			return n
		}
		n.began = append(n.began, x)
	}
	if len(n.began) == 0 {
		n.why = errors.New(root + " has no interfaces")
	}
	return n
}

func (n *network) read(name string) (x tracefile.Interface, err error) {
	x.Name = name
	for file, to := range map[string]*int64{"tx_bytes": &x.Sent, "rx_bytes": &x.Received} {
		v, err := counter(filepath.Join(n.root, name, "statistics", file))
		if err != nil {
			return x, err
		}
		*to = int64(v)
	}
	return x, nil
}

// end is what the interfaces that carried something have sent and received since.
func (n *network) end() *tracefile.Network {
	out := new(tracefile.Network)
	for _, was := range n.began {
		now, err := n.read(was.Name)
		if err != nil {
			n.why = err
		}
		now.Sent -= was.Sent
		now.Received -= was.Received
		if now.Sent < 0 || now.Received < 0 {
			n.why = errors.New("the counters of " + was.Name + " were reset")
		}
		if now.Sent > 0 || now.Received > 0 {
			out.Interfaces = append(out.Interfaces, now)
		}
	}
	if n.why != nil {
		return &tracefile.Network{Unreadable: reason(n.why)}
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
