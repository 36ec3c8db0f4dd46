// Package install puts upstream's releases of the real servers, PostgREST and Auth, into
// the cache folder, and finds them there. What it installs was verified before it was
// unpacked, and appears complete or not at all. It starts nothing.
package install
