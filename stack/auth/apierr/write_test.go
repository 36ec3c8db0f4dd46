package apierr_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"

	"github.com/supascore/supascore/stack/auth/apierr"
)

func TestAnErrorIsWrittenInTheVersionAskedFor(t *testing.T) {
	t.Parallel()
	raised := fmt.Errorf("insert: %w", &pgconn.PgError{Code: "P0001", Message: "no", Hint: "h"})
	hidden := fmt.Errorf("insert: %w", &pgconn.PgError{Code: "42501", Message: "denied"})
	teapot := &pgconn.PgError{Code: "PT418", Message: "short", Detail: "d"}
	cases := map[string]struct {
		err          error
		version      string
		status       int
		body, header string
	}{
		"known": {
			apierr.NotFound(apierr.UserNotFound, "User %s", "x"), "", 404,
			`{"code":404,"error_code":"user_not_found","msg":"User x"}`, "user_not_found",
		},
		"known, new version": {
			apierr.NotFound(apierr.UserNotFound, "User x"), "2024-01-01", 404,
			`{"code":"user_not_found","message":"User x"}`, "user_not_found",
		},
		"without a code":              {apierr.New(403, "", "no"), "", 403, `{"code":403,"error_code":"unknown","msg":"no"}`, ""},
		"without a code, new version": {apierr.New(500, "", "no"), "2025-01-01", 500, `{"code":"unexpected_failure","message":"no"}`, ""},
		"failure has an id":           {apierr.Internal("no"), "", 500, `{"code":500,"error_code":"unexpected_failure","msg":"no","error_id":"id"}`, "unexpected_failure"},
		"crash has none":              {apierr.Crashed(), "", 500, `{"code":500,"error_code":"unexpected_failure","msg":"Internal Server Error"}`, ""},
		"wrapped":                     {fmt.Errorf("here: %w", apierr.BadRequest(apierr.BadJSON, "no")), "", 400, `{"code":400,"error_code":"bad_json","msg":"no"}`, "bad_json"},
		"of nobody": {
			errors.New("boom"), "", 500,
			`{"code":500,"error_code":"unexpected_failure","msg":"Unexpected failure, please check server logs for more information"}`, "",
		},
		"weak password": {
			&apierr.WeakPasswordError{Message: "weak", Reasons: []string{"length"}}, "", 422,
			`{"code":422,"error_code":"weak_password","msg":"weak","weak_password":{"reasons":["length"]}}`, "weak_password",
		},
		"weak password, new version": {
			&apierr.WeakPasswordError{Message: "weak", Reasons: []string{"length"}}, "2024-01-01", 422,
			`{"code":"weak_password","message":"weak","weak_password":{"reasons":["length"]}}`, "",
		},
		"OAuth":                            {&apierr.OAuthError{Name: "invalid_request", Description: "no"}, "2024-01-01", 400, `{"error":"invalid_request","error_description":"no"}`, ""},
		"raised in the database":           {apierr.Internal("x").Because(raised), "", 500, `{"code":"P0001","message":"no","hint":"h"}`, "unexpected_failure"},
		"raised, new version":              {apierr.Internal("x").Because(raised), "2024-01-01", 500, `{"code":"unexpected_failure","message":"x"}`, "unexpected_failure"},
		"raised with a status":             {apierr.Internal("x").Because(teapot), "", 418, `{"code":"PT418","message":"short","detail":"d"}`, "unexpected_failure"},
		"failed in the database":           {apierr.Internal("x").Because(hidden), "", 500, `{"code":500,"error_code":"unexpected_failure","msg":"x","error_id":"id"}`, "unexpected_failure"},
		"raised, but worded once":          {apierr.Internal("out").Because(apierr.Internal("in").Because(raised)), "", 500, `{"code":500,"error_code":"unexpected_failure","msg":"out","error_id":"id"}`, "unexpected_failure"},
		"raised, and not worded by anyone": {raised, "", 500, `{"code":500,"error_code":"unexpected_failure","msg":"Unexpected failure, please check server logs for more information"}`, ""},
		"status that is none":              {apierr.New(7, "", "no"), "", 500, `{"code":500,"error_code":"unexpected_failure","msg":"Internal Server Error"}`, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
			if c.version != "" {
				r.Header.Set(apierr.VersionHeader, c.version)
			}
			w := httptest.NewRecorder()
			apierr.Write(w, r, "id", c.err)
			assert.Equal(t, c.status, w.Code)
			assert.JSONEq(t, c.body, w.Body.String())
			assert.Equal(t, c.header, w.Header().Get("X-Sb-Error-Code"))
			assert.Equal(t, c.version != "", w.Header().Get(apierr.VersionHeader) == "2024-01-01")
		})
	}
}

func TestOnlyADateFrom2024OnAsksForTheNewEnvelope(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "2023-12-31": false, "2024-01-01": true, "2099-12-31": true, "latest": false, "2024-1-1": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.Header.Set(apierr.VersionHeader, text)
		assert.Equal(t, want, apierr.WantsVersion(r), text)
	}
}
