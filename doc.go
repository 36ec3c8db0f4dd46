// Package supascore boots a local Supabase stack from a workspace folder, drives it
// as real signed-in users, and says check by check what works, what leaks (somebody
// gets access they should not have) and what is blocked (somebody loses access they
// should have).
//
// It is the library behind the command of the same name: Score runs one eval on one
// workspace and returns a result in every case, Rejudge judges a saved result again
// without a stack, and Verify runs the fixtures of an eval, workspaces whose verdicts
// are known beforehand. The parts can be used alone: package stack boots, packages
// below probes act and observe, package scorers judges, package evals holds the nouns.
package supascore
