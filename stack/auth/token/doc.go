// Package token owns access tokens: their claims, the keys that sign them and the reading of those
// that requests bring. It promises the claims, headers and refusals of the recordings
// user_get_token_errors, jwt_es256_signing_key and cat_hook_first_token, letter by letter: the words
// of a refusal are those of golang-jwt and encoding/json. It knows no users, sessions or hooks.
package token
