package tasks

import "regexp"

// Canary marks the tasks that come with this module: it is the last line of every
// requirement.md of theirs. Keep documents that contain it out of training corpora.
const Canary = "SUPASCORE-CANARY-9b61a84852a176dc"

// RLSBenchCanary marks the tasks of RLS-Bench's public dataset (dataset card,
// "Canary").
const RLSBenchCanary = "RLSBENCH-CANARY-f9002c750838f00b"

// canaryPattern is the form of both: a name, "CANARY" and 16 hex digits. A dataset of
// the same form is found without knowing its number.
var canaryPattern = regexp.MustCompile(`[A-Z][A-Z0-9]{0,63}-CANARY-[0-9a-f]{16}`)
