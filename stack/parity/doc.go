// Package parity holds what the replayers of recordings share: the result of a
// replayed step, the differences in it, the checked-in list of known gaps, and
// the report over many steps. It promises that a disagreement that nobody has
// explained fails, and that an explained one that is gone fails too. It is not
// a replayer: packages restreplay and authreplay read recordings, drive a
// server and compare.
package parity
