// Package hooks calls the extension points of the Auth server: SQL functions
// in the project's database and HTTP(S) endpoints. It owns the settings of a
// hook, the call itself (transaction, time limits, signatures, retries), the
// event sent, the reading of the answer and the error an Auth request fails
// with. It promises the outcomes of Supabase Auth 2.196, failure by failure.
// It is not the place that decides when a hook runs or what a rejection does:
// the handlers of package auth do that, and they turn an *Error into an
// answer.
//
// A hook in a caller's transaction runs on that transaction, without a
// savepoint: when its function fails, PostgreSQL has aborted the transaction
// and the caller has to roll it back. A hook without one gets a transaction of
// its own.
package hooks
