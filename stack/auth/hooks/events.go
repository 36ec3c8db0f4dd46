package hooks

import "time"

// metadata is the first member of every event.
type metadata struct {
	UUID      string    `json:"uuid"`
	Time      time.Time `json:"time"`
	Name      Name      `json:"name,omitempty"`
	IPAddress string    `json:"ip_address,omitempty"`
}

// AccessTokenInput is what the custom access token hook is asked about.
type AccessTokenInput struct {
	// IPAddress of the request, for the event's metadata; may be empty.
	IPAddress string
	// UserID is the UUID of the token's user.
	UserID string
	// Claims marshals to the object of claims that the token would carry.
	Claims any
	// AuthenticationMethod is how the token was asked for: "password",
	// "token_refresh", "otp", "anonymous", "totp", ...
	AuthenticationMethod string
}

type accessTokenEvent struct {
	Metadata             metadata `json:"metadata"`
	UserID               string   `json:"user_id"`
	Claims               any      `json:"claims"`
	AuthenticationMethod string   `json:"authentication_method"`
}

// UserInput is what the hooks before_user_created and after_user_created are
// asked about.
type UserInput struct {
	// IPAddress of the request, for the event's metadata; may be empty.
	IPAddress string
	// User marshals to the API's user object.
	User any
}

type userEvent struct {
	Metadata metadata `json:"metadata"`
	User     any      `json:"user"`
}

// PasswordInput is what the password verification hook is asked about.
type PasswordInput struct {
	// IPAddress of the request, for the event's metadata; may be empty.
	IPAddress string
	// UserID is the UUID of the user that signs in.
	UserID string
	// Valid tells whether the password was right.
	Valid bool
}

type passwordEvent struct {
	Metadata metadata `json:"metadata"`
	UserID   string   `json:"user_id"`
	Valid    bool     `json:"valid"`
}

// MFAInput is what the MFA verification hook is asked about.
type MFAInput struct {
	// IPAddress of the request, for the event's metadata; may be empty.
	IPAddress string
	// UserID and FactorID are UUIDs.
	UserID, FactorID string
	// FactorType is "totp" or "phone".
	FactorType string
	// Valid tells whether the code was right.
	Valid bool
}

type mfaEvent struct {
	Metadata   metadata `json:"metadata"`
	UserID     string   `json:"user_id"`
	FactorID   string   `json:"factor_id"`
	FactorType string   `json:"factor_type"`
	Valid      bool     `json:"valid"`
}

// decisionReject is the one decision that refuses; every other text continues.
const decisionReject = "reject"

// Verdict is the answer of a verification hook.
type Verdict struct {
	// Decision is "continue", "reject" or whatever else the hook said.
	Decision string `json:"decision"`
	// Message is the text for the user; empty means the hook's default text.
	Message string `json:"message"`
	// ShouldLogoutUser asks to end all of the user's sessions. Only the
	// password hook's is honoured, and only when the attempt is rejected.
	ShouldLogoutUser bool `json:"should_logout_user"`
}

// Rejected tells whether the attempt is refused. A hook that returned NULL, an
// empty object or an unknown decision lets it continue.
func (v Verdict) Rejected() bool { return v.Decision == decisionReject }

// EmailData describes the mail that the send_email hook sends.
type EmailData struct {
	Token           string `json:"token"`
	TokenHash       string `json:"token_hash"`
	RedirectTo      string `json:"redirect_to"`
	EmailActionType string `json:"email_action_type"`
	SiteURL         string `json:"site_url"`
	TokenNew        string `json:"token_new"`
	TokenHashNew    string `json:"token_hash_new"`
	OldEmail        string `json:"old_email"`
	OldPhone        string `json:"old_phone"`
	Provider        string `json:"provider"`
	FactorType      string `json:"factor_type"`
}

// EmailInput is what the send_email hook is asked to send.
type EmailInput struct {
	// IPAddress of the request, for the event's metadata; may be empty.
	IPAddress string
	// User marshals to the API's user object.
	User any
	// Email is the mail.
	Email EmailData
}

type emailEvent struct {
	Metadata metadata  `json:"metadata"`
	User     any       `json:"user"`
	Email    EmailData `json:"email_data"`
}

// SMSData describes the text message that the send_sms hook sends.
type SMSData struct {
	OTP   string `json:"otp,omitempty"`
	Type  string `json:"sms_type,omitempty"`
	Phone string `json:"phone,omitempty"`
}

// SMSInput is what the send_sms hook is asked to send.
type SMSInput struct {
	// IPAddress of the request, for the event's metadata; may be empty.
	IPAddress string
	// User marshals to the API's user object.
	User any
	// SMS is the message.
	SMS SMSData
}

type smsEvent struct {
	Metadata metadata `json:"metadata"`
	User     any      `json:"user,omitempty"`
	SMS      SMSData  `json:"sms"`
}
