#!/bin/sh
# Writes NAME/NAME.out for every example: what gfortran's program prints, which
# is the definition of right. Needs gfortran alone (Debian package gfortran).
#
# usage: regenerate.sh [NAME ...]
#
# Each program is first compiled with all warnings as errors and run with all
# run-time checks; the output kept is that of a plain -O2 build without fused
# multiply-add. An example reads NAME.in or its only .mtx file, else nothing.
set -eu

cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
module=../fortran/modules/spmd.f90 # for programs that use it

if [ $# -eq 0 ]; then
	set -- */*.hpf
	names=
	for source; do
		names="$names ${source%%/*}"
	done
	# shellcheck disable=SC2086 # names of folders have no blanks
	set -- $names
fi

for name; do
	input=/dev/null
	for candidate in "$name/$name.in" "$name"/*.mtx; do
		if [ -f "$candidate" ]; then
			input=$candidate
		fi
	done
	gfortran -J "$tmp" -x f95 -ffree-form -std=f95 -Wall -Wextra -Werror -O1 -g -fcheck=all,no-array-temps \
		-finit-real=snan -ffpe-trap=invalid,zero,overflow \
		"$module" "$name/$name.hpf" -o "$tmp/checked"
	"$tmp/checked" <"$input" >"$tmp/checked.out"
	gfortran -J "$tmp" -x f95 -ffree-form -std=f95 -O2 -ffp-contract=off "$module" "$name/$name.hpf" -o "$tmp/plain"
	"$tmp/plain" <"$input" >"$tmp/plain.out"
	cp "$tmp/plain.out" "$name/$name.out"
	echo "$name: $(wc -l <"$name/$name.out") lines"
done
