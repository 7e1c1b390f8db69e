// Package page is what the pages have in common that commands write: their beginning, by which
// they are known, and the style of headings and tables. A page needs nothing else: no other
// file, and no network.
package page

import (
	"fmt"
	"html"
	"io"
)

// Begin is how a page of a kind begins.
func Begin(kind string) string { return "<!DOCTYPE html>\n<!-- " + kind + ", by spmdc -->" }

const style = `:root { --elided: #2a7f62; --redundant: #e0a458; --needed: #b9c2cc; --line: #d9dee3; --text: #1d2733; --dim: #5c6b7a; --page: #fff }
@media (prefers-color-scheme: dark) { :root { --elided: #4db892; --redundant: #d59a4a; --needed: #55606c; --line: #36404b; --text: #e6ebf0; --dim: #9aa8b6; --page: #161b21 } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--text); background: var(--page); margin: 2em auto; max-width: 76em; padding: 0 1.2em }
h1 { font-size: 1.4em; margin: 0 } h2 { font-size: 1.1em; margin: 2em 0 .5em }
p { margin: .4em 0; color: var(--dim) }
code, .name, td.path { font: 13px/1.5 ui-monospace, monospace }
table { border-collapse: collapse } th, td { padding: .2em .7em; text-align: right; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums }
th { color: var(--dim); font-weight: 500 } th.path, td.path { text-align: left }
`

// Head writes what comes before the content of a page. css is style of its own; the title is
// escaped.
func Head(w io.Writer, kind, title, css string) {
	fmt.Fprintf(w, "%s\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n<style>\n%s%s</style>\n</head>\n<body>\n",
		Begin(kind), html.EscapeString(title), style, css)
}

// End writes what comes behind it.
func End(w io.Writer) { fmt.Fprint(w, "</body>\n</html>\n") }
