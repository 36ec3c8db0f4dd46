// Package apierr owns the errors that a request to the Auth server ends with: the closed list of
// codes, the error values that handlers return, and the one writer that turns any error into a
// response in the envelope that the X-Supabase-Api-Version header asks for. It promises the status,
// the members of the body and the headers of the recordings error_api_version and
// signup_trigger_on_auth_users. It does not log; the caller does, with the whole chain of causes.
package apierr
