package main

import "runtime/debug"

// version is the module version that the Go toolchain recorded, with the revision
// for a build from a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "devel"
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" && len(setting.Value) >= 12 {
				v += " " + setting.Value[:12]
			}
		}
	}
	return v
}
