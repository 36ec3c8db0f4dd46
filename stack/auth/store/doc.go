// Package store owns the tables of the schema auth: the rows as Go values, and every statement the
// Auth server runs on them. It promises the statements' order and effects that triggers, hooks and
// policies of a project can see in the real server, transactions that can commit although their
// request fails, and connections that survive a restarted or terminated backend. It knows nothing
// of HTTP and decides nothing: who may do what is the business of package auth.
package store
