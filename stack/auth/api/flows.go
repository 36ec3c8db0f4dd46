package api

import "github.com/google/uuid"

// PKCEGrantParams is the body of POST /token?grant_type=pkce.
type PKCEGrantParams struct {
	AuthCode     string `json:"auth_code"`
	CodeVerifier string `json:"code_verifier"`
}

// VerifyParams is the body of POST /verify and, by its names, the query of GET /verify.
type VerifyParams struct {
	Type       string `json:"type"`
	Token      string `json:"token"`
	TokenHash  string `json:"token_hash"`
	Email      string `json:"email"`
	Phone      string `json:"phone"`
	RedirectTo string `json:"redirect_to"`
}

// OtpParams is the body of POST /otp. CreateUser has to be set to true before reading.
type OtpParams struct {
	Email               string         `json:"email"`
	Phone               string         `json:"phone"`
	CreateUser          bool           `json:"create_user"`
	Data                map[string]any `json:"data"`
	Channel             string         `json:"channel"`
	CodeChallengeMethod string         `json:"code_challenge_method"`
	CodeChallenge       string         `json:"code_challenge"`
}

// SmsParams is the body of POST /otp with a phone number.
type SmsParams struct {
	Phone               string         `json:"phone"`
	Channel             string         `json:"channel"`
	Data                map[string]any `json:"data"`
	CodeChallengeMethod string         `json:"code_challenge_method"`
	CodeChallenge       string         `json:"code_challenge"`
}

// MagicLinkParams is the body of POST /magiclink, and of POST /otp with an address.
type MagicLinkParams struct {
	Email               string         `json:"email"`
	Data                map[string]any `json:"data"`
	CodeChallengeMethod string         `json:"code_challenge_method"`
	CodeChallenge       string         `json:"code_challenge"`
}

// RecoverParams is the body of POST /recover.
type RecoverParams struct {
	Email               string `json:"email"`
	CodeChallenge       string `json:"code_challenge"`
	CodeChallengeMethod string `json:"code_challenge_method"`
}

// ResendConfirmationParams is the body of POST /resend.
type ResendConfirmationParams struct {
	Type                string `json:"type"`
	Email               string `json:"email"`
	Phone               string `json:"phone"`
	CodeChallenge       string `json:"code_challenge"`
	CodeChallengeMethod string `json:"code_challenge_method"`
}

// InviteParams is the body of POST /invite.
type InviteParams struct {
	Email string         `json:"email"`
	Data  map[string]any `json:"data"`
}

// GenerateLinkParams is the body of POST /admin/generate_link.
type GenerateLinkParams struct {
	Type       string         `json:"type"`
	Email      string         `json:"email"`
	NewEmail   string         `json:"new_email"`
	Password   string         `json:"password"`
	Data       map[string]any `json:"data"`
	RedirectTo string         `json:"redirect_to"`
}

// EnrollFactorParams is the body of POST /factors.
type EnrollFactorParams struct {
	FriendlyName string `json:"friendly_name"`
	FactorType   string `json:"factor_type"`
	Issuer       string `json:"issuer"`
	Phone        string `json:"phone"`
}

// ChallengeFactorParams is the body of POST /factors/{factor_id}/challenge for a phone.
type ChallengeFactorParams struct {
	Channel string `json:"channel"`
}

// VerifyFactorParams is the body of POST /factors/{factor_id}/verify.
type VerifyFactorParams struct {
	ChallengeID uuid.UUID `json:"challenge_id"`
	Code        string    `json:"code"`
}

// adminUserUpdateFactorParams has upstream's name, which answers to bad JSON show.
type adminUserUpdateFactorParams struct {
	FriendlyName string `json:"friendly_name"`
	Phone        string `json:"phone"`
}

// AdminUserUpdateFactorParams is the body of PUT /admin/users/{user_id}/factors/{factor_id}.
type AdminUserUpdateFactorParams = adminUserUpdateFactorParams
