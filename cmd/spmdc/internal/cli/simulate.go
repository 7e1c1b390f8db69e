package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/predict"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/verify"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/simulate"
)

type simulateCmd struct {
	files
	PEs       string        `name:"pes" short:"n" placeholder:"LIST" help:"Numbers of processing elements (PEs), as 1024,16384; the default is 2,16,128,1024."`
	Plans     string        `placeholder:"LIST" help:"Synchronisation plans, with commas between: some of ${plans}; the default is all."`
	Hosts     string        `placeholder:"NxM" help:"N hosts with M PEs each, and as many more as it takes; by default each PE has a host of its own."`
	Latency   time.Duration `default:"1500ns" placeholder:"TIME" help:"L of LogGP, between hosts: the time from the end of sending to the begin of receiving; 1500ns is the default."`
	Overhead  time.Duration `default:"400ns" placeholder:"TIME" help:"o: how long a PE is busy with a message that it sends or receives; 400ns is the default."`
	Gap       time.Duration `default:"400ns" placeholder:"TIME" help:"g: the least time between two messages of one PE; 400ns is the default."`
	Bandwidth string        `default:"10GB/s" placeholder:"RATE" help:"1/G: how fast the bytes of a message follow one another, as 800MB/s or 10GB/s, which is the default."`
	Within    string        `default:"200ns,100ns,100ns,8GB/s" placeholder:"L,o,g,RATE" help:"The same for two PEs of one host; 200ns,100ns,100ns,8GB/s is the default."`
	Set       []string      `sep:"none" placeholder:"NAME=VALUE" help:"Give a PARAMETER of the source another value; more than once for more of them."`
	Read      []string      `sep:"none" placeholder:"NAME=VALUE" help:"The value of an INTEGER variable that the program reads; more than once for more of them."`
	Prove     string        `placeholder:"none" help:"With none plans are made for any number of PEs, and not, up to 16 PEs, for the number that they are simulated on, as run -n makes them."`
	Trips     int           `default:"50" placeholder:"N" help:"How many iterations loops have whose ends depend on data; 50 is the default."`
	Compute   float64       `placeholder:"F" help:"Computation takes F times as long as the cost model says, 0.25 by default."`
	Calibrate bool          `help:"Run the program on one PE, and take the time that it takes for its computation."`
	SMPI      string        `name:"smpi" placeholder:"DIR" help:"Also write a time-independent trace of what the PEs do, with one plan and one number of PEs, into a new folder; DIR/replay.sh executes it with SimGrid's smpirun."`
	SVG       string        `name:"svg" placeholder:"FILE" help:"Also write a picture of time against the number of PEs."`
	Format    string        `default:"text" placeholder:"FORM" help:"text (the default), or json, which also has the messages of each communication."`
	compileFlags
}

// Help says what is done.
func (*simulateCmd) Help() string {
	return `The communications of each plan are executed, without the computation, on a model of a machine with the parameters
of LogGP: each PE has a clock, is busy with each message that it sends or receives, and waits for what has not come.
A reduction or barrier is a tree. How long PEs compute is what the cost model says of their own iterations, times
--compute; with --calibrate the program runs here on one PE, which says what that is. Give --set a size for which that is
short, and take what it prints for a larger one.

Messages are counted exactly where every loop is executed as a whole: as --stats counts them in a run, but
for those of READ. In long loops on many PEs two iterations in each of eight parts stand for all; such counts are marked.
Where the program's way depends on data, a condition is taken to hold, but for one that leaves a loop, and a loop
to have --trips iterations; below the table stands what was supposed.`
}

// mostSimulated is the greatest number of PEs of a simulation, each of which takes some memory.
const mostSimulated = 1 << 22

var rate = regexp.MustCompile(`(?i)^(\d+\.?\d*|\.\d+)\s*([kMG]?)B/s$`)

// perByte reads a bandwidth: seconds a byte.
func perByte(flag, text string) (float64, error) {
	m := rate.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0, driver.Usagef("write for example 10GB/s", "%s: %q is no bandwidth", flag, text)
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil || v == 0 {
		return 0, driver.Usagef("write for example 10GB/s", "%s: the bandwidth must be above 0", flag)
	}
	return 1 / (v * map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9}[strings.ToUpper(m[2])]), nil
}

// machine is the model that the flags describe.
func (cmd *simulateCmd) machine() (m simulate.Machine, err error) {
	m.Network = simulate.Link{Latency: cmd.Latency.Seconds(), Overhead: cmd.Overhead.Seconds(), Gap: cmd.Gap.Seconds()}
	if m.Network.PerByte, err = perByte("--bandwidth="+cmd.Bandwidth, cmd.Bandwidth); err != nil {
		return m, err
	}
	parts := strings.Split(cmd.Within, ",")
	usage := driver.Usagef("write for example --within=200ns,100ns,100ns,8GB/s", "--within=%s: expected latency, overhead, gap and bandwidth", cmd.Within)
	if len(parts) != 4 {
		return m, usage
	}
	for i, to := range []*float64{&m.Host.Latency, &m.Host.Overhead, &m.Host.Gap} {
		d, err := time.ParseDuration(strings.TrimSpace(parts[i]))
		if err != nil || d < 0 {
			return m, usage
		}
		*to = d.Seconds()
	}
	if m.Host.PerByte, err = perByte("--within="+cmd.Within, parts[3]); err != nil {
		return m, err
	}
	if cmd.Latency < 0 || cmd.Overhead < 0 || cmd.Gap < 0 {
		return m, driver.Usagef("write for example --latency=2us", "a time of the model is below 0")
	}
	m.PerHost = 1
	if cmd.Hosts != "" {
		var hosts int
		if n, err := fmt.Sscanf(cmd.Hosts, "%dx%d", &hosts, &m.PerHost); err != nil || n != 2 || hosts < 1 || m.PerHost < 1 || fmt.Sprintf("%dx%d", hosts, m.PerHost) != cmd.Hosts {
			return m, driver.Usagef("write for example --hosts=4x16", "--hosts=%s: expected a number of hosts, x, and of PEs on each", cmd.Hosts)
		}
	}
	return m, nil
}

// Run predicts.
func (cmd *simulateCmd) Run(env *Env, table *driver.Table) error {
	o := predict.Options{PEs: []int{2, 16, 128, 1024}, Plans: plan.Kinds, Trips: cmd.Trips, Reads: map[string]int64{}, Compute: cmd.Compute, Any: cmd.Prove == "none"}
	var err error
	switch {
	case cmd.Prove != "" && cmd.Prove != "none":
		return driver.Usagef("write --prove=none, or leave it out", "--prove=%s is not known", cmd.Prove)
	case cmd.Trips < 0:
		return driver.Usagef("write for example --trips=100", "--trips=%d: expected a number from 0", cmd.Trips)
	case cmd.Compute < 0:
		return driver.Usagef("write for example --compute=0.25", "--compute=%g: expected a number above 0", cmd.Compute)
	case cmd.Compute > 0 && cmd.Calibrate:
		return driver.Usagef("leave one of them out", "--compute and --calibrate both say how long the program computes")
	case cmd.Compute == 0 && !cmd.Calibrate:
		o.Compute = 0.25
	}
	if cmd.Format != "text" && cmd.Format != "json" {
		return driver.Usagef("the forms are text and json", "there is no form %q", cmd.Format)
	}
	if cmd.Sync != "" {
		return driver.Usagef("write --plans="+cmd.Sync, "--sync names one plan, and several are compared")
	}
	if o.Machine, err = cmd.machine(); err != nil {
		return err
	}
	if cmd.PEs != "" {
		if o.PEs, err = verify.ParsePEsTo(cmd.PEs, mostSimulated); err != nil {
			return err
		}
	}
	if cmd.Plans != "" {
		o.Plans = nil
		for name := range strings.SplitSeq(cmd.Plans, ",") {
			kind := plan.Kind(strings.TrimSpace(name))
			if !slices.Contains(plan.Kinds, kind) || slices.Contains(o.Plans, kind) {
				return driver.Usagef("the plans are "+planNames(), "--plans=%s: there is no plan %q, or it is there twice", cmd.Plans, name)
			}
			o.Plans = append(o.Plans, kind)
		}
	}
	if o.SMPI = cmd.SMPI; o.SMPI != "" {
		switch {
		case len(o.PEs) != 1 || len(o.Plans) != 1:
			return driver.Usagef("write for example -n 4 --plans=elide", "--smpi: a trace is that of one plan on one number of PEs")
		case o.Machine.PerHost != 1:
			return driver.Usagef("leave --hosts out", "--smpi: SimGrid's messages within a host and between hosts have the same overhead")
		case o.Machine.Network.Gap > o.Machine.Network.Overhead:
			return driver.Usagef("give a --gap that is no longer than --overhead", "--smpi: SimGrid's PEs have no gap between their messages")
		}
	}
	if o.Set, err = settings(cmd.Set); err != nil {
		return err
	}
	for _, text := range cmd.Read {
		name, value, _ := strings.Cut(text, "=")
		v, err := strconv.ParseInt(value, 10, 64)
		if err != nil || name == "" {
			return driver.Usagef("write for example --read=n=1000", "--read=%s: expected the name of a variable, and a whole number", text)
		}
		o.Reads[strings.ToLower(name)] = v
	}
	c, err := cmd.open(cmd.all(), nil)
	if err != nil {
		return err
	}
	r, err := predict.Make(table, c, env.Stdin, o)
	if err := cmd.finish(c, env, err); err != nil {
		return err
	}
	if cmd.SVG != "" {
		if err := writeResult(env, cmd.SVG, predict.SVGBegins, r.SVG); err != nil {
			return err
		}
	}
	return writeReport(env, cmd.Format, r)
}
