package main

import (
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/supascore/supascore/stack/native/install"
	"github.com/supascore/supascore/stack/native/install/installtest"
)

// releases [FAULT] starts a server that plays upstream for this platform, at $MIRROR. It
// has postgrest 14.16 and auth in its default version, neither of which is pinned, and
// listings with digests. The faults are Auth's, and FAULT is one of
//
//	undigested  the listing has no digests
//	wrong       the listing has another digest
//	cut         the first answer breaks off in the middle
//	stalls      the first answer falls silent in the middle
//	gone        the release has another file instead
func releases(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: releases [FAULT]")
	}
	server := installtest.NewServer()
	ts.Defer(server.Close)
	put := func(name, version, fault string) {
		url, err := install.Config{BaseURL: server.URL}.URL(name, version)
		ts.Check(err)
		f := installtest.File{ETag: `"one"`, Digest: "right", Content: installtest.Release(name, version)}
		switch fault {
		case "":
		case "undigested":
			f.Digest = ""
		case "wrong":
			f.Digest = "wrong"
		case "cut", "stalls":
			f.Cuts, f.Stalls = []int{len(f.Content) / 2}, fault == "stalls"
		case "gone":
			url += ".sig"
		default:
			ts.Fatalf("unknown fault %q", fault)
		}
		server.Put(url, f)
	}
	put(install.PostgREST, "14.16", "")
	put(install.Auth, install.DefaultVersion(install.Auth), strings.Join(args, ""))
	ts.Setenv("MIRROR", server.URL)
}
