// Command supascore boots a local Supabase stack from a workspace folder, drives it
// as real signed-in users and scores what it sees. This package owns flags, wiring
// and human output; everything else is in the packages that it composes.
package main

import "os"

func main() {
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
