//go:build unix && !linux

package postgres

// roomyMemoryDir is empty: only Linux has a memory file system everywhere.
func roomyMemoryDir() string { return "" }
