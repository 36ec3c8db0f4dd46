// Package probes holds the data that pass between what drives a stack and what
// judges it: the Target to act on, the Plan of what to do, and the Observations
// of what happened. All of it is plain data that survives JSON, so a saved run can
// be judged again without a stack. The packages below this one act (auth, rest,
// sql, token, config, runner) or read transcripts (docs); this one does no I/O,
// imports the standard library only, and nothing under it ever judges.
package probes
