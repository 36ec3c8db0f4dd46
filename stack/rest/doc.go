// Package rest is a REST server over one PostgreSQL database that speaks the HTTP contract of PostgREST 14. It owns the
// connections, the transaction of a request and the response, and promises that every request runs in a transaction of
// its own, under the role of its token, with settings that end with it. What a request means, how it becomes SQL and
// what is known of the database are the business of the packages below it. It has no global state: any number of
// servers live in one process. It does not listen on a port; it is an http.Handler whose root is "/".
package rest
