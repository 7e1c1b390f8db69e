//go:build !mpi

package main

func main() {}
