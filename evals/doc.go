// Package evals holds the nouns of an evaluation: the Eval that a folder
// describes, the Check that a scorer returns, the Result that a run leaves
// behind, and the Expectation that a fixture states. It loads those from files,
// strictly and with positions in every error, and it decides what a list of
// checks adds up to. It imports nothing of this module, starts nothing and talks
// to nobody: whoever runs or judges an eval imports this package, never the
// other way round.
package evals
