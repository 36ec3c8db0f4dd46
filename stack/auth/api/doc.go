// Package api has the bodies of requests to the Auth server as types. Their names and their fields'
// types are part of the API: an answer to bad JSON quotes encoding/json, which quotes them
// (recording signup_input_errors). Nothing here validates.
package api
