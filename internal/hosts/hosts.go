// Package hosts makes hosts for tests of programs that several hosts run.
package hosts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/effort"
)

// Two makes two hosts, which are network namespaces that a cable of veth joins, and
// returns how mpirun is started on the first so that it starts processes on both, and their names.
func Two(t testing.TB) (start []string, names [2]string) {
	effort.Tool(t, "ip", "iproute2")
	names = [2]string{fmt.Sprintf("spmd%da", os.Getpid()), fmt.Sprintf("spmd%db", os.Getpid())}
	address := func(i int) string { return fmt.Sprintf("10.77.0.%d", i+1) }
	ip := func(args string) {
		t.Helper()
		if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
			t.Skipf("two hosts cannot be made of network namespaces: ip %s: %v: %s", args, err, out)
		}
	}
	for _, name := range names {
		ip("netns add " + name)
		t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", name).Run() })
	}
	ip(fmt.Sprintf("link add cable netns %s type veth peer name cable netns %s", names[0], names[1]))
	on := ""
	for i, name := range names {
		ip("-n " + name + " link set lo up")
		ip("-n " + name + " addr add " + address(i) + "/24 dev cable")
		ip("-n " + name + " link set cable up")
		on += fmt.Sprintf("%s) on=%s;; ", address(i), name)
	}
	// Where mpirun would start ssh: the arguments are options, the host and the command.
	agent := filepath.Join(t.TempDir(), "agent")
	script := "#!/bin/sh\nwhile [ \"${1#-}\" != \"$1\" ]; do shift; done\ncase $1 in " + on + "esac\nshift\n" +
		"exec ip netns exec $on unshare --uts sh -c \"hostname $on; $*\"\n"
	if err := os.WriteFile(agent, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	mpirun := "hostname " + names[0] + "; mpirun --mca plm_rsh_agent " + agent + " --mca plm_rsh_no_tree_spawn 1 --mca btl tcp,vader,self" +
		" --mca btl_tcp_if_include cable --mca oob_tcp_if_include cable" +
		" -x SPMD_SILENCE=10 --host " + address(0) + ":2," + address(1) + ":2 \"$@\"" +
		// Open MPI warns when the agent was fast.
		" 2>" + agent + ".$$; status=$?; grep -v -e 'plm:rsh: Warning: setpgid' -e '^$' " + agent + ".$$ >&2; exit $status"
	return []string{"ip", "netns", "exec", names[0], "unshare", "--uts", "sh", "-c", mpirun, "mpirun"}, names
}
