package native

import "log/slog"

// LogAuthLine passes on a line that a real Auth printed which somebody else supervises,
// as lines of our own are: with its level, its message and its fields, and with the
// SQLSTATE that its error names.
func LogAuthLine(to *slog.Logger, line string) { authRecord(line).log(to) }
