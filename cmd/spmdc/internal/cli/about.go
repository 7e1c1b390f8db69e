package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/licences"
	"github.com/spmdc/spmdc/docs"
	"github.com/spmdc/spmdc/parser/source"
)

type passesCmd struct{}

// Run lists the pass table: what `explain` shows, what --stop-after takes, and
// why the passes stand in this order.
func (passesCmd) Run(env *Env, table *driver.Table) error {
	var b strings.Builder
	for _, p := range table.Passes {
		var marks []string
		if p.Explain.Text != nil {
			forms := "text, json"
			if p.Explain.DOT != nil {
				forms += ", dot"
			}
			if p.Explain.HTML != nil {
				forms += ", html"
			}
			marks = append(marks, "explain: "+forms)
		}
		if p.Check != nil {
			marks = append(marks, "verified by --verify-passes")
		}
		fmt.Fprintf(&b, "%-9s %s", p.Name, p.Doc)
		if len(marks) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(marks, "; "))
		}
		fmt.Fprintln(&b)
		for _, o := range table.Orders {
			if o.After == p.Name {
				fmt.Fprintf(&b, "%-9s   after %s: %s\n", "", o.Before, o.Why)
			}
		}
	}
	_, err := io.WriteString(env.Stdout, b.String())
	return written(err)
}

type versionCmd struct {
	Licences bool `help:"Print the licences of spmdc and of all that is linked into it."`
}

func (cmd *versionCmd) Run(env *Env) error {
	if cmd.Licences {
		var b strings.Builder
		if err := licences.Write(&b); err != nil {
			return err
		}
		_, err := io.WriteString(env.Stdout, b.String())
		return written(err)
	}
	_, err := fmt.Fprintln(env.Stdout, driver.Version())
	return written(err)
}

type helpCmd struct {
	Topic []string `arg:"" optional:"" help:"A command, the code in brackets behind a diagnostic, or glossary: what the words mean."`
}

// command reports whether words name a command below node.
func command(node *kong.Node, words []string) bool {
	if len(words) == 0 {
		return node.Type == kong.CommandNode
	}
	return slices.ContainsFunc(node.Children, func(n *kong.Node) bool { return n.Name == words[0] && command(n, words[1:]) })
}

func (cmd *helpCmd) Run(env *Env, table *driver.Table, status *int, k *kong.Kong) error {
	topic := strings.Join(cmd.Topic, " ")
	if topic == "" {
		return dispatch([]string{"--help"}, env, table, status)
	}
	if command(k.Model.Node, strings.Fields(topic)) {
		return dispatch(append(cmd.Topic, "--help"), env, table, status)
	}
	if topic == "glossary" {
		// The document without its marks.
		_, err := io.WriteString(env.Stdout, strings.NewReplacer("# Glossary\n\n", "", "**", "", "`", "").Replace(docs.Glossary))
		return written(err)
	}
	if info, ok := source.Lookup(source.Code(strings.Trim(topic, "[]"))); ok {
		return describe(env.Stdout, info)
	}
	return driver.Usagef("`spmdc help` lists the commands; a code is what stands in brackets behind a diagnostic; `spmdc help glossary` explains words",
		"%q is neither a command nor the code of a diagnostic", topic)
}

// describe prints the documentation of a diagnostic's code.
func describe(w io.Writer, info source.CodeInfo) error {
	_, err := fmt.Fprintf(w, "%s: %s\n\nA program that gives it:\n\n%s\n", info.Code, info.Doc,
		"    "+strings.ReplaceAll(strings.TrimRight(info.Example, "\n"), "\n", "\n    "))
	return written(err)
}
