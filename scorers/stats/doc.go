// Package stats sums up how models did on tasks: unbiased pass@k, leak and block rates,
// each with a bootstrap interval over tasks, in all and by tier. It gets counts and
// returns numbers; it knows neither candidates nor databases, and the same counts with
// the same seed give the same numbers.
package stats
