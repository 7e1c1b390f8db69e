package report

import "github.com/spmdc/spmdc/cfg"

func (r *Report) DOT(g *cfg.Graph) string { return "" }
