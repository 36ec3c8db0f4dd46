// Package schema holds what the REST engine knows of a database: the relations of the exposed schemas with their
// columns and keys, how those relations can be joined, the functions that can be called, and the settings stored on
// roles. It owns the catalogue queries (sql/*.sql) and the derivation of relationships, and promises that a [Snapshot]
// never changes after [Load] returned it, so any number of requests may read it without a lock. It is not a cache: who
// keeps a snapshot, and when it is loaded again, is the server's business. Privileges are no part of it either: the
// snapshot is the same for every role, and PostgreSQL refuses what a role may not do.
package schema
