// Package driver runs the compiler: it reads a source, takes it through the
// pass table, and writes, builds or starts the emitted program.
//
// The pass table (table.go) is the single list of what the compiler does:
//
//	ast -> ir -> mapping -> scalar -> comm -> cfg -> plan -> code
//
// What `spmdc explain`, --stop-after, --time-passes, --verify-passes and
// `spmdc passes` offer is derived from it, so that a pass added there is
// everywhere.
//
// An emitted program is a Tree of files (module.go). `compile` puts it into a
// folder (folder.go); `build` and `run` put it into a cache (cache.go), build
// it there (gobuild.go) and copy or start the result (start.go).
package driver
