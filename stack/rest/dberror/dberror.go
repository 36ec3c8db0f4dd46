// Package dberror reads errors of PostgreSQL with one thing more than pgconn keeps: whether DETAIL and HINT were sent at all.
//
// RAISE … USING DETAIL = ” sends an empty text, and the REST API answers it as "" where an error without a detail answers null
// (recording rpc/raised_errors). pgconn.PgError has the empty string for both. A connection made with BuildFrontend marks the
// empty texts on their way in, and Raised takes the marks off again.
package dberror

import (
	"io"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/supascore/supascore/stack/rest/apierror"
)

// empty marks a text that was sent and is empty. PostgreSQL never sends it: no text in a database has this character alone in
// a DETAIL or HINT by accident, and one that has it on purpose loses it.
const empty = "\x01"

// BuildFrontend is for pgconn.Config.BuildFrontend.
func BuildFrontend(r io.Reader, w io.Writer) *pgproto3.Frontend {
	return pgproto3.NewFrontend(newMarker(r), w)
}

// Raised is an error as the REST API needs it. Without BuildFrontend empty details and hints count as not sent.
func Raised(e *pgconn.PgError) apierror.Raised {
	return apierror.Raised{
		SQLState: e.Code, Message: e.Message, Details: unmark(e.Detail), Hint: unmark(e.Hint),
	}
}

// unmark is the text as the database sent it, nil when it sent none.
func unmark(text string) *string {
	switch text {
	case "":
		return nil
	case empty:
		text = ""
	}
	return &text
}
