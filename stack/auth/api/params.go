package api

// SignupParams is the body of POST /signup.
type SignupParams struct {
	Email    string         `json:"email"`
	Phone    string         `json:"phone"`
	Password string         `json:"password"`
	Data     map[string]any `json:"data"`
	// Channel is sms or whatsapp, for phone numbers.
	Channel             string `json:"channel"`
	CodeChallengeMethod string `json:"code_challenge_method"`
	CodeChallenge       string `json:"code_challenge"`
}

// PasswordGrantParams is the body of POST /token?grant_type=password.
type PasswordGrantParams struct {
	Email    string `json:"email"`
	Phone    string `json:"phone"`
	Password string `json:"password"`
}

// RefreshTokenGrantParams is the body of POST /token?grant_type=refresh_token.
type RefreshTokenGrantParams struct {
	RefreshToken string `json:"refresh_token"`
}

// UserUpdateParams is the body of PUT /user. A nil Password changes nothing, an empty one removes it.
type UserUpdateParams struct {
	Email               string         `json:"email"`
	Password            *string        `json:"password"`
	CurrentPassword     *string        `json:"current_password,omitempty"`
	Nonce               string         `json:"nonce"`
	Data                map[string]any `json:"data"`
	AppData             map[string]any `json:"app_metadata,omitempty"`
	Phone               string         `json:"phone"`
	Channel             string         `json:"channel"`
	CodeChallenge       string         `json:"code_challenge"`
	CodeChallengeMethod string         `json:"code_challenge_method"`
}

// AdminUserParams is the body of POST /admin/users and PUT /admin/users/{user_id}.
type AdminUserParams struct {
	ID           string         `json:"id"`
	Aud          string         `json:"aud"`
	Role         string         `json:"role"`
	Email        string         `json:"email"`
	Phone        string         `json:"phone"`
	Password     *string        `json:"password"`
	PasswordHash string         `json:"password_hash"`
	EmailConfirm bool           `json:"email_confirm"`
	PhoneConfirm bool           `json:"phone_confirm"`
	UserMetaData map[string]any `json:"user_metadata"`
	AppMetaData  map[string]any `json:"app_metadata"`
	// BanDuration is a Go duration, or "none".
	BanDuration string `json:"ban_duration"`
}

// adminUserDeleteParams has upstream's name, which answers to bad JSON show.
type adminUserDeleteParams struct {
	ShouldSoftDelete bool `json:"should_soft_delete"`
}

// AdminUserDeleteParams is the optional body of DELETE /admin/users/{user_id}.
type AdminUserDeleteParams = adminUserDeleteParams
