package authreplay

import "maps"

// The constants of the recorded setting.
const (
	jwtSecret = "super-secret-jwt-token-with-at-least-32-characters-long"
	issuer    = "http://127.0.0.1:54321/auth/v1"
)

// BaseEnv is the environment that every recording starts from: the settings
// that a local project with a default config.toml gives the server, without an
// SMTP server and with the shared JWT secret in place of a signing key.
func BaseEnv() map[string]string {
	return map[string]string{
		"API_EXTERNAL_URL":                                         issuer,
		"DB_NAMESPACE":                                             "auth",
		"GOTRUE_API_HOST":                                          "127.0.0.1",
		"GOTRUE_DB_DRIVER":                                         "postgres",
		"GOTRUE_DISABLE_SIGNUP":                                    "false",
		"GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED":                  "false",
		"GOTRUE_EXTERNAL_EMAIL_ENABLED":                            "true",
		"GOTRUE_EXTERNAL_PHONE_ENABLED":                            "false",
		"GOTRUE_JWT_ADMIN_ROLES":                                   "supabase_admin,service_role",
		"GOTRUE_JWT_AUD":                                           "authenticated",
		"GOTRUE_JWT_DEFAULT_GROUP_NAME":                            "authenticated",
		"GOTRUE_JWT_EXP":                                           "3600",
		"GOTRUE_JWT_ISSUER":                                        issuer,
		"GOTRUE_JWT_SECRET":                                        jwtSecret,
		"GOTRUE_LOG_LEVEL":                                         "warn",
		"GOTRUE_MAILER_AUTOCONFIRM":                                "true",
		"GOTRUE_MAILER_OTP_EXP":                                    "3600",
		"GOTRUE_MAILER_OTP_LENGTH":                                 "6",
		"GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED":                "true",
		"GOTRUE_MAILER_URLPATHS_CONFIRMATION":                      issuer + "/verify",
		"GOTRUE_MAILER_URLPATHS_EMAIL_CHANGE":                      issuer + "/verify",
		"GOTRUE_MAILER_URLPATHS_INVITE":                            issuer + "/verify",
		"GOTRUE_MAILER_URLPATHS_RECOVERY":                          issuer + "/verify",
		"GOTRUE_MFA_MAX_ENROLLED_FACTORS":                          "10",
		"GOTRUE_MFA_TOTP_ENROLL_ENABLED":                           "false",
		"GOTRUE_MFA_TOTP_VERIFY_ENABLED":                           "false",
		"GOTRUE_PASSWORD_MIN_LENGTH":                               "6",
		"GOTRUE_PASSWORD_REQUIRED_CHARACTERS":                      "",
		"GOTRUE_RATE_LIMIT_EMAIL_SENT":                             "360000",
		"GOTRUE_SECURITY_MANUAL_LINKING_ENABLED":                   "false",
		"GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL":             "10",
		"GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED":           "true",
		"GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION": "false",
		"GOTRUE_SITE_URL":                                          "http://127.0.0.1:3000",
		"GOTRUE_SMS_AUTOCONFIRM":                                   "true",
		"GOTRUE_SMTP_MAX_FREQUENCY":                                "1s",
		"GOTRUE_URI_ALLOW_LIST":                                    "https://127.0.0.1:3000",
	}
}

// mergeEnv returns base changed by each of the changes in turn.
func mergeEnv(base map[string]string, changes ...map[string]string) map[string]string {
	env := maps.Clone(base)
	for _, change := range changes {
		maps.Copy(env, change)
	}
	return env
}
