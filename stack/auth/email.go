package auth

import (
	"regexp"
	"strings"

	"github.com/supascore/supascore/stack/auth/apierr"
)

// emailPattern is the "valid e-mail address" of the HTML standard (the input element of type email).
var emailPattern = regexp.MustCompile("^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@" +
	`[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$`)

// checkEmail returns an address in small letters, or refuses it.
func checkEmail(email string) (string, error) {
	switch {
	case email == "":
		return "", apierr.BadRequest(apierr.ValidationFailed, "An email address is required")
	case len(email) > 255:
		return "", apierr.BadRequest(apierr.ValidationFailed, "An email address is too long")
	case !emailPattern.MatchString(email):
		return "", apierr.BadRequest(apierr.ValidationFailed, "Unable to validate email address: invalid format")
	}
	return strings.ToLower(email), nil
}

// phonePattern is a number of E.164 without the plus sign.
var phonePattern = regexp.MustCompile(`^[1-9][0-9]{1,14}$`)

// checkPhone returns a number as digits, or refuses it.
func checkPhone(phone string) (string, error) {
	phone = formatPhone(phone)
	if !phonePattern.MatchString(phone) {
		return "", apierr.BadRequest(apierr.ValidationFailed, "Invalid phone number format (E.164 required)")
	}
	return phone, nil
}

// formatPhone removes a leading plus sign and all spaces.
func formatPhone(phone string) string {
	return strings.ReplaceAll(strings.TrimPrefix(phone, "+"), " ", "")
}

// checkChannel sets the channel of a text message to its default, or refuses it. Only one of the
// providers that do not exist here could send to WhatsApp.
func checkChannel(channel *string) error {
	if *channel == "" {
		*channel = "sms"
	}
	if *channel != "sms" {
		return apierr.BadRequest(apierr.ValidationFailed, "Invalid channel, supported values are 'sms' or 'whatsapp'. "+
			"'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.")
	}
	return nil
}
