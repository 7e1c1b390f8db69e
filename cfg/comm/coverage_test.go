package comm_test

import "github.com/spmdc/spmdc/cfg/comm"

// coverage counts what programs in SPMD form have.
type coverage map[string]int

func (n coverage) program(p *comm.Program) {
	for _, c := range p.Comms {
		n[string(c.Kind)]++
		if c.Subs != nil {
			n["coupled subscripts"]++
		}
		for _, w := range c.Window {
			if w[0] != w[1] && len(c.Forward) == 0 {
				n["wide shift"]++
				break
			}
		}
		if len(c.Forward) > 0 {
			n["forwarding"]++
		}
		if len(c.Forward) > 1 {
			n["forwarding two dimensions"]++
		}
		if len(c.Guard) > 0 {
			n["guarded consumers"]++
		}
		for _, r := range c.Ranges {
			if r.Unknown {
				n["unknown range"]++
			}
			if len(r.Cons) > 0 {
				n["consumers by range"]++
			}
		}
	}
	for _, r := range p.Reduces {
		n[r.Name]++
		if r.Moved != nil {
			n["reduction behind a loop of all"]++
		}
		if len(r.Stmts) > 1 {
			n["reduction by several statements"]++
		}
		if len(r.Lead) > 0 {
			n["lead dimensions"]++
		}
		if r.Sym.IsArray() {
			n["reduction of elements"]++
			if len(r.Starts) > 0 {
				n["started elements"]++
			}
			if r.Parted {
				n["reduction of elements at their owners"]++
				if r.Name == "max" || r.Name == "min" {
					n["extremes of elements at their owners"]++
				}
			}
		}
	}
	n.nodes(p.Body, nil)
	readers := map[*comm.Comm]int{}
	n.readers(p.Body, readers)
	for _, k := range readers {
		if k > 1 {
			n["values for several regions"]++
		}
	}
}

// readers counts the regions that read what each communication brought.
func (n coverage) readers(list []comm.Node, count map[*comm.Comm]int) {
	for _, x := range list {
		switch x := x.(type) {
		case *comm.Region:
			for _, c := range x.Comms {
				count[c]++
			}
		case *comm.Loop:
			n.readers(x.Body, count)
		case *comm.WhileLoop:
			n.readers(x.Body, count)
		case *comm.Branch:
			n.readers(x.Then, count)
			n.readers(x.Else, count)
		}
	}
}

func (n coverage) nodes(list []comm.Node, around comm.Node) {
	for i, x := range list {
		switch x := x.(type) {
		case *comm.Region:
			switch {
			case x.Fallback:
				n["fallback"]++
			case x.Pipe != nil:
				n["pipelined region"]++
				if x.Pipe.Blocks != nil {
					n["pipeline in blocks"]++
				}
			case len(x.Picks) > 0:
				n["loop divided by what a variable picks"]++
			case len(x.Part) > 0:
				n["divided region"]++
			case len(x.Guard) > 0:
				n["guarded region"]++
			default:
				n["region of all"]++
			}
			if len(x.Part) > 1 {
				n["region divided twice"]++
			}
		case *comm.Post:
			posts := 1
			for k := i + 2; k < len(list); k += 2 {
				if _, ok := list[k].(*comm.Post); !ok {
					break
				}
				posts++
			}
			if posts == 2 {
				n["two phases"]++
			} else if posts == 3 {
				n["three phases"]++
			}
			if _, ok := list[min(i+2, len(list)-1)].(*comm.Loop); ok {
				n["hoisted"]++
			}
		case *comm.Done:
			if i+1 < len(list) {
				if _, ok := list[i+1].(*comm.Simple); ok {
					n["end before a jump"]++
				}
			}
		case *comm.Loop:
			n["loop of all"]++
			n.nodes(x.Body, x)
		case *comm.WhileLoop:
			if len(x.Used) > 0 {
				n["fetched condition"]++
			}
			n.nodes(x.Pre, x)
			n.nodes(x.Body, x)
		case *comm.Branch:
			n["branch of all"]++
			n.nodes(x.Then, x)
			n.nodes(x.Else, x)
		}
	}
}
