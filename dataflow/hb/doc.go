// Package hb proves by happens-before which communications need no ready
// messages, with any number of slots.
package hb
