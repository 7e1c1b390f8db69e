// Package docs has the documents that the command shows.
package docs

import _ "embed"

// Glossary is glossary.md.
//
//go:embed glossary.md
var Glossary string
