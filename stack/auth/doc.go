// Package auth is an Auth server with the HTTP API of Supabase Auth (GoTrue) 2.196 over the tables
// of the schema auth: sign-up, tokens, users, sessions, administration, mail flows and second
// factors. It owns the decisions; package store owns the rows, package token the JWTs, package hooks
// the calls of a project's hooks, package apierr the answers of failed requests. It promises the
// answers in fixtures/recordings/auth. It is not an OAuth, SAML or passkey server: those endpoints
// answer as a real server without such a configuration. It keeps no state outside its database but
// the mails it did not send, so that many servers can run in one process.
package auth
