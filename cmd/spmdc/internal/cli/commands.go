package cli

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/verify"
	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/ir/transform"
	"github.com/spmdc/spmdc/parser/source"
)

// compileFlags are the flags of every command that compiles.
type compileFlags struct {
	Sync           string   `placeholder:"PLAN" help:"Synchronisation plan: ${plans}; all give the same results, and the first is the default."`
	Unsafe         bool     `help:"Allow --sync=popl96-literal, the analysis as printed in 1996: programs may give wrong results."`
	Check          bool     `help:"Check array bounds, undefined values, integer overflow and the order of messages while the program runs."`
	TimePasses     bool     `help:"Print how long each pass took."`
	VerifyPasses   bool     `help:"Check what each pass promises, among it the proofs of the plan."`
	SlotsMemory    string   `placeholder:"MB" help:"How much memory the slots that --sync=elide adds may take on a PE, in MB; ${memory} is the default, 0 for none."`
	InsertBarriers string   `aliases:"barrier-threshold" placeholder:"N" help:"Where --sync=elide leaves a nest of loops more than N ready messages, by estimate, a barrier is tried; ${barriers} is the default, none for no barriers."`
	Strip          string   `placeholder:"N" help:"With --sync=elide fill temporaries in strips of N iterations of the loops that use them, where that can be done, and fuse nests of loops in strips of N; none: not even where memory is short, and nest after nest."`
	Block          string   `placeholder:"N" help:"Pipelines send blocks of N iterations; none: each PE sends when it has executed all. Otherwise the program chooses when it runs, by what a message takes."`
	Target         string   `placeholder:"TARGET" help:"For which processors inner loops are vector kernels: ${targets}; all give the same results. auto takes the best that the processor has when the program starts, and go makes none."`
	FP             string   `name:"fp" placeholder:"MODE" help:"What kernels may do with floating-point operations: ordered, the default, adds up in a fixed number of interleaved partial sums; strict in the order of the source; fast as ordered, and a*b+c is rounded once."`
	Quiet          bool     `short:"q" help:"Print no warnings."`
	JSON           jsonFlag `name:"json" help:"Write diagnostics as JSON, each an object on a line of its own on standard error."`
	NoTransform    string   `placeholder:"KINDS" help:"Leave out source transformations: some of ${kinds}, with commas between, or all."`
	sourceFlags
}

// jsonFlag makes Env.JSON what it is.
type jsonFlag bool

// AfterApply is called when the command line has been read.
func (f jsonFlag) AfterApply(env *Env) error {
	env.JSON = bool(f)
	return nil
}

func (f *compileFlags) options() (driver.Options, error) {
	o := driver.Options{Check: f.Check, Unsafe: f.Unsafe}
	if err := f.sourceFlags.into(&o); err != nil {
		return o, err
	}
	var err error
	if o.Without, err = f.without(); err != nil {
		return o, err
	}
	if o.SlotsMemory, err = f.memory(); err != nil {
		return o, err
	}
	if o.BarrierThreshold, err = f.insertBarriers(); err != nil {
		return o, err
	}
	if o.Strip, err = f.strip(); err != nil {
		return o, err
	}
	if o.Block, err = f.block(); err != nil {
		return o, err
	}
	if o.Target = kernel.Target(f.Target); f.Target != "" && !slices.Contains(kernel.Targets, o.Target) {
		return o, driver.Usagef("the targets are "+listed(kernel.Targets), "there is no target %q", f.Target)
	}
	if o.FP = codegen.FP(f.FP); f.FP != "" && !slices.Contains(codegen.FPs, o.FP) {
		return o, driver.Usagef("choose one of "+listed(codegen.FPs), "--fp=%s is not known", f.FP)
	}
	if f.Sync == "" {
		return o, nil // driver.New chooses
	}
	kind, err := plan.ParseKind(f.Sync)
	if err != nil {
		return o, driver.Usagef("the plans are "+planNames(), "there is no synchronisation plan %q", f.Sync)
	}
	o.Sync = kind
	return o, nil
}

// memory is what --slots-memory gives, in bytes, as driver.Options has it.
func (f *compileFlags) memory() (int64, error) {
	if f.SlotsMemory == "" {
		return 0, nil
	}
	mb, err := strconv.ParseUint(f.SlotsMemory, 10, 32)
	if err != nil {
		return 0, driver.Usagef("write for example --slots-memory=16", "--slots-memory=%s: the memory must be a whole number of MB", f.SlotsMemory)
	}
	if mb == 0 {
		return -1, nil
	}
	return int64(mb) << 20, nil
}

// insertBarriers is what --insert-barriers gives, as driver.Options has it.
func (f *compileFlags) insertBarriers() (float64, error) {
	switch f.InsertBarriers {
	case "":
		return 0, nil
	case "none":
		return -1, nil
	}
	n, err := strconv.ParseUint(f.InsertBarriers, 10, 32)
	if err != nil || n == 0 {
		return 0, driver.Usagef("write for example --insert-barriers=50, or none", "--insert-barriers=%s: the bound must be a number of messages from 1, or none", f.InsertBarriers)
	}
	return float64(n), nil
}

// strip is what --strip gives, as driver.Options has it.
func (f *compileFlags) strip() (int, error) {
	switch f.Strip {
	case "":
		return 0, nil
	case "none":
		return -1, nil
	}
	n, err := strconv.ParseUint(f.Strip, 10, 31)
	if err != nil || n == 0 {
		return 0, driver.Usagef("write for example --strip=64, or none", "--strip=%s: a strip must have a number of iterations from 1, or none", f.Strip)
	}
	return int(n), nil
}

// block is what --block gives, as driver.Options has it.
func (f *compileFlags) block() (int, error) {
	switch f.Block {
	case "":
		return 0, nil
	case "none":
		return -1, nil
	}
	n, err := strconv.ParseUint(f.Block, 10, 31)
	if err != nil || n == 0 {
		return 0, driver.Usagef("write for example --block=16, or none", "--block=%s: a block must have a number of iterations from 1, or none", f.Block)
	}
	return int(n), nil
}

// without are the transformations that --no-transform names.
func (f *compileFlags) without() ([]transform.Kind, error) {
	if f.NoTransform == "" {
		return nil, nil
	}
	var list []transform.Kind
	for name := range strings.SplitSeq(f.NoTransform, ",") {
		kind := transform.Kind(strings.TrimSpace(name))
		if kind == "all" {
			list = append(list, transform.Kinds...)
			continue
		}
		if !slices.Contains(transform.Kinds, kind) {
			return nil, driver.Usagef("the transformations are "+kindNames()+", and all stands for all of them", "there is no transformation %q", name)
		}
		list = append(list, kind)
	}
	return list, nil
}

// kindNames lists the source transformations.
func kindNames() string { return listed(transform.Kinds) }

// planNames lists the plans, the default first.
func planNames() string { return listed(plan.Kinds) }

// listed are names with commas between.
func listed[T ~string](list []T) string {
	names := make([]string, len(list))
	for i, x := range list {
		names[i] = string(x)
	}
	return strings.Join(names, ", ")
}

// open reads the sources and prepares their compilation, for some numbers of PEs in
// particular.
func (f *compileFlags) open(files []string, pes []int) (*driver.Compilation, error) {
	o, err := f.options()
	o.PEs = pes
	if err != nil {
		return nil, err
	}
	texts, err := f.read(files)
	if err != nil {
		return nil, err
	}
	return driver.NewProgram(texts, o), nil
}

// finish prints what a compilation has to say, whether it failed or not. The
// error of the compilation is the more important one.
func (f *compileFlags) finish(c *driver.Compilation, env *Env, err error) error {
	if driver.InterruptedBy(env.Context) != nil {
		return err // the passes may be at work on c
	}
	if rerr := c.Report(env.Stderr, driver.ReportOptions{Color: env.Color, Quiet: f.Quiet, JSON: env.JSON}); err == nil && rerr != nil {
		err = rerr
	}
	if f.TimePasses {
		c.WriteTimings(env.Stderr)
	}
	return err
}

// pes is the number of processing elements that -n gives; 0 when absent.
type pes struct {
	N string `name:"pes" short:"n" placeholder:"P" help:"Number of processing elements (PEs), or images; the default is the number of processors. With -n plan elide leaves out what ready messages it can on that number."`
}

func (p pes) count() (int, error) {
	if p.N == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(p.N)
	if err != nil || n < 1 {
		return 0, driver.Usagef("write for example -n 4", "-n %s: the number of PEs must be a whole number of at least 1", p.N)
	}
	return n, nil
}

// somePEs are the numbers of PEs that -n gives to commands that run nothing; none
// when absent.
type somePEs struct {
	N string `name:"pes" short:"n" placeholder:"LIST" help:"Numbers of processing elements (PEs), with commas between, on which the program is to need as few ready messages as can be proved. It runs on any number."`
}

func (p somePEs) list() ([]int, error) {
	if p.N == "" {
		return nil, nil
	}
	return verify.ParsePEs(p.N)
}

// suggested is the number of PEs that messages show: the first given, else 0.
func suggested(list []int) int {
	if len(list) == 0 {
		return 0
	}
	return list[0]
}

type compileCmd struct {
	files
	Output string  `short:"o" placeholder:"DIR" help:"Folder for the module; the default is the file's name without extension."`
	PEs    somePEs `embed:""`
	transportFlag
	regionsFlag
	Explain   string `placeholder:"STAGE" help:"Also print this stage, as the command explain does."`
	StopAfter string `placeholder:"PASS" help:"Run the passes up to this one and write nothing."`
	compileFlags
}

func (cmd *compileCmd) Run(env *Env, table *driver.Table) error {
	list, err := cmd.PEs.list()
	if err != nil {
		return err
	}
	n := suggested(list)
	if cmd.StopAfter != "" && table.Find(cmd.StopAfter) == nil {
		return driver.Usagef("the passes are "+strings.Join(table.Names(), ", "), "there is no pass %q to stop after", cmd.StopAfter)
	}
	var explainer *driver.Explainer
	o := driver.RunOptions{StopAfter: cmd.StopAfter, Verify: cmd.VerifyPasses}
	if cmd.Explain != "" {
		if explainer, err = table.NewExplainer(cmd.Explain, driver.Text); err != nil {
			return err
		}
		o.After = explainer.After
	}
	dir := cmd.Output
	if dir == "" {
		dir = driver.ProgramName(cmd.File)
	}
	c, err := cmd.open(cmd.all(), list)
	if err != nil {
		return err
	}
	if c.Options.Transport, err = cmd.transport(); err != nil {
		return err
	}
	if cmd.Profile {
		if err := measured(&c.Options); err != nil {
			return err
		}
	}
	c.Color, c.Units = env.TextColor, true
	err = table.Run(c, o)
	nothing := err == nil && c.AST.Program.Implied
	if err == nil && cmd.StopAfter == "" && !nothing {
		err = driver.WriteFolder(dir, driver.Module(c, n))
	}
	if err := cmd.finish(c, env, err); err != nil {
		return err
	}
	if explainer != nil {
		return show(env, explainer)
	}
	if nothing && !env.JSON {
		fmt.Fprintf(env.Stderr, "spmdc: %s: no errors, and no main program: nothing to run, nothing written\n", source.Printable(cmd.File))
	} else if cmd.StopAfter == "" && !env.JSON {
		fmt.Fprintf(env.Stderr, "spmdc: wrote %s; run it with: cd %s && go run . -n %d\n", source.Printable(dir), shellWord(dir), driver.SuggestedPEs(n))
	}
	return nil
}

// shellWord is a name as the shell reads it, if it can be shown at all.
func shellWord(name string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./+,:@%", r)
	}
	name = source.Printable(name)
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	if name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !safe(r) }) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

func show(env *Env, e *driver.Explainer) error {
	text, err := e.Bytes()
	if err != nil {
		return err
	}
	_, err = env.Stdout.Write(text)
	return written(err)
}

// written makes a failed write to standard output an error of its user's.
func written(err error) error {
	if err == nil {
		return nil
	}
	return driver.Usagef("check where the output goes", "cannot write standard output: %v", err)
}

type buildCmd struct {
	files
	Output string  `short:"o" placeholder:"BIN" help:"The program; the default is the file's name without extension."`
	PEs    somePEs `embed:""`
	Race   bool    `help:"Build with Go's race detector."`
	transportFlag
	regionsFlag
	compileFlags
}

func (cmd *buildCmd) Run(env *Env, table *driver.Table) error {
	out := cmd.Output
	if out == "" {
		out = driver.ProgramName(cmd.File)
	}
	if err := driver.CheckProgramTarget(out); err != nil {
		return err
	}
	list, err := cmd.PEs.list()
	if err != nil {
		return err
	}
	program, err := cmd.program(cmd.all(), list, building{race: cmd.Race, regions: cmd.Profile, transportFlag: cmd.transportFlag}, env, table)
	if err != nil {
		return err
	}
	return driver.CopyProgram(program, out)
}

// transportFlag says what carries the messages.
type transportFlag struct {
	Transport string `placeholder:"NAME" help:"What carries the messages: inproc, the default, where PEs are threads of one process, or mpi, where they are in processes that mpirun starts."`
	Mpicc     string `name:"mpicc" placeholder:"NAME" help:"With --transport=mpi: the C compiler of the MPI, as mpicc.mpich; mpirun.mpich then starts programs. The default is what CC names, if that is one, or mpicc."`
}

func (f transportFlag) transport() (driver.Transport, error) {
	return driver.ParseTransport(f.Transport, f.Mpicc)
}

// launchFlags say how programs are started.
type launchFlags struct {
	transportFlag
	PEsPerRank int      `name:"pes-per-rank" placeholder:"K" help:"With --transport=mpi: so many PEs share a process; the default is 1."`
	MpirunArgs []string `sep:"none" placeholder:"ARGS" help:"With --transport=mpi: arguments for mpirun, with blanks between."`
}

// launch is how programs are started; its transport may be InProcess.
func (f launchFlags) launch() (driver.Launch, error) {
	t, err := f.transport()
	l := driver.Launch{Transport: t, Each: f.PEsPerRank}
	if len(f.MpirunArgs) > 0 {
		l.More = strings.Fields(strings.Join(f.MpirunArgs, " "))
	}
	switch {
	case err != nil:
		return l, err
	case f.PEsPerRank < 0:
		return l, driver.Usagef("write for example --pes-per-rank=4", "--pes-per-rank=%d: expected a number of at least 1", f.PEsPerRank)
	case t == driver.InProcess && f.PEsPerRank > 0:
		return l, driver.Usagef("add --transport=mpi", "--pes-per-rank: without MPI one process has all PEs")
	case t == driver.InProcess && len(f.MpirunArgs) > 0:
		return l, driver.Usagef("add --transport=mpi", "--mpirun-args: mpirun starts programs for MPI only")
	}
	return l, nil
}

// building says how a program is built.
type building struct {
	race    bool
	host    bool // for this machine
	regions bool // that can measure itself
	transportFlag
}

// program builds the program of the files in the cache and returns its path.
func (f *compileFlags) program(files []string, pes []int, how building, env *Env, table *driver.Table) (string, error) {
	c, err := f.open(files, pes)
	if err != nil {
		return "", err
	}
	if c.Options.Transport, err = how.transport(); err != nil {
		return "", err
	}
	if how.regions {
		if err := measured(&c.Options); err != nil {
			return "", err
		}
	}
	cache, err := driver.OpenCache()
	if err != nil {
		return "", err
	}
	// The times of passes that are skipped are of no use to who asks for them.
	b := driver.Builder{Table: table, Cache: cache, Race: how.race, Host: how.host, Verify: f.VerifyPasses, Fresh: f.TimePasses}
	stop := func() {}
	if env.Progress {
		p := newProgress(env.Stderr, progressDelay)
		b.Step, stop = p.Step, p.Stop
	}
	program, err := b.Program(c)
	stop()
	return program, f.finish(c, env, err)
}

type runCmd struct {
	files
	PEs       pes    `embed:""`
	Race      bool   `help:"Run under Go's race detector."`
	Stats     bool   `help:"Print messages, bytes and waits of each communication at the end."`
	StatsJSON string `name:"stats-json" placeholder:"FILE" help:"Write these to FILE, as JSON: for explain FILE cost."`
	measureFlags
	checkpointFlags
	barrierFlags
	launchFlags
	compileFlags
}

func (cmd *runCmd) Run(env *Env, table *driver.Table, status *int) error {
	n, err := cmd.PEs.count()
	if err != nil {
		return err
	}
	var list []int
	if n > 0 {
		list = []int{n}
	}
	launch, err := cmd.launch()
	if err != nil {
		return err
	}
	program, err := cmd.program(cmd.all(), list, building{cmd.Race, true, cmd.measureFlags.on(), cmd.transportFlag}, env, table)
	if err != nil {
		return err
	}
	var args []string
	if n == 0 && launch.Transport != driver.InProcess {
		n = runtime.NumCPU()
	}
	if n > 0 {
		args = append(args, "-n", strconv.Itoa(n))
	}
	if cmd.Stats {
		args = append(args, "-stats")
	}
	if cmd.StatsJSON != "" {
		args = append(args, "-stats-json="+cmd.StatsJSON)
	}
	args = append(args, cmd.measureFlags.args()...)
	points := cmd.checkpointFlags
	if launch.Transport != driver.InProcess {
		points.Restarts = 0 // processes are started again here
	}
	args = append(args, points.args()...)
	switch restarts := cmd.Checkpoint != "" && cmd.Restarts > 0; {
	case len(env.args) > 0 && restarts:
		return driver.Usagef("leave out --restarts", "a program with arguments behind -- cannot be started again")
	case len(env.args) > 0:
		args = append(append(args, "--"), env.args...)
	}
	stdio := driver.Stdio{In: env.Stdin, Out: env.Stdout, Err: env.Stderr}
	start, supervise := driver.Start, driver.Supervise
	if launch.Transport != driver.InProcess {
		start, supervise = driver.StartMPI, driver.SuperviseMPI
		if program, args, stdio.Env, err = launch.Command(program, n, args); err != nil {
			return err
		}
	}
	return cmd.around(env, func(more []string) (err error) {
		args := append(args, more...)
		if cmd.Checkpoint != "" && cmd.Restarts > 0 {
			*status, err = supervise(program, args, stdio, cmd.Restarts, cmd.again(args, env.Stdin), env.Stderr)
			return err
		}
		*status, err = start(program, args, stdio)
		return err
	})
}

type explainCmd struct {
	File     string   `arg:"" optional:"" help:"Source file (.hpf, .f90, .f; see --form)."`
	Stage    string   `arg:"" optional:"" help:"Stage to show: ${stages}, or all; the default is dataflow. It may stand before the file too. The command passes lists them."`
	More     []string `arg:"" optional:"" help:"Of a program of several files these, and the stage behind or before all."`
	Format   string   `default:"text" placeholder:"FORM" help:"text (the default), json, dot for graphs, or html for a page."`
	Measured string   `placeholder:"FILE" help:"Show in stage cost what a run counted, too: FILE is what run --profile or --stats-json wrote."`
	Brief    bool     `help:"Of stage dataflow show the summary and the table only."`
	Only     string   `placeholder:"#N|LINE" help:"Of stage dataflow show one communication only, or those of a line."`
	Hosts    string   `placeholder:"NxM" help:"Of stage placement: N hosts, each with room for M PEs; the default is two with half of the PEs each."`
	Tables   bool     `help:"Print Table 1 and Figures 7 and 8 of the paper, as printed and in the sound form; no file is read."`
	PEs      somePEs  `embed:""`
	regionsFlag
	compileFlags
}

// stages reports whether word is a stage.
func stages(table *driver.Table, word string) bool {
	return word == driver.StageAll || slices.Contains(table.Stages(), word)
}

// split separates the files from the stage, which stands behind or before them.
func (cmd *explainCmd) split(table *driver.Table) (files []string, stage string) {
	args := append([]string{cmd.File, cmd.Stage}, cmd.More...)
	if cmd.Stage == "" {
		return args[:1], driver.DefaultStage
	}
	first, last := args[0], args[len(args)-1]
	switch {
	case stages(table, last):
		return args[:len(args)-1], last
	case stages(table, first) || driver.IsSource(last) && !driver.IsSource(first):
		return args[1:], first
	case driver.IsSource(last):
		return args, driver.DefaultStage
	}
	return args[:len(args)-1], last
}

func (cmd *explainCmd) Run(env *Env, table *driver.Table) error {
	if cmd.Tables {
		_, err := io.WriteString(env.Stdout, synch.Tables())
		return err
	}
	if cmd.File == "" {
		return driver.Usagef("spmdc explain FILE, or spmdc explain --tables", "there is no source file")
	}
	list, err := cmd.PEs.list()
	if err != nil {
		return err
	}
	files, stage := cmd.split(table)
	e, err := table.NewExplainer(stage, driver.Format(cmd.Format))
	if err != nil {
		return err
	}
	c, err := cmd.open(files, list)
	if err != nil {
		return err
	}
	if cmd.Profile {
		if err := measured(&c.Options); err != nil {
			return err
		}
	}
	c.PEs, c.Color, c.Brief, c.Only = suggested(list), env.TextColor, cmd.Brief, cmd.Only
	if cmd.Hosts != "" {
		if _, err := fmt.Sscanf(cmd.Hosts+"\n", "%dx%d\n", &c.Hosts.Count, &c.Hosts.Each); err != nil || c.Hosts.Count < 1 || c.Hosts.Each < 1 || c.Hosts.Count*c.Hosts.Each > 1<<16 {
			return driver.Usagef("write for example --hosts=4x16", "--hosts=%s: expected the number of hosts, and of the PEs on each", cmd.Hosts)
		}
	}
	if err := c.ReadMeasured(cmd.Measured); err != nil {
		return err
	}
	err = table.Run(c, driver.RunOptions{StopAfter: e.LastPass(), Verify: cmd.VerifyPasses, After: e.After})
	if err := cmd.finish(c, env, err); err != nil {
		return err
	}
	return show(env, e)
}
