package auth

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/qr"
	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// enrolled is the answer to a new factor.
type enrolled struct {
	ID           uuid.UUID   `json:"id"`
	Type         string      `json:"type"`
	FriendlyName string      `json:"friendly_name"`
	TOTP         *totpSecret `json:"totp,omitempty"`
	Phone        string      `json:"phone,omitempty"`
}

// totpSecret is what an authenticator app needs, shown once.
type totpSecret struct {
	// QRCode is an SVG document.
	QRCode string `json:"qr_code,omitempty"`
	Secret string `json:"secret,omitempty"`
	URI    string `json:"uri,omitempty"`
}

// enroll answers POST /factors: it makes a factor that counts for nothing until it is verified.
// Whether a type is switched on is told before anything else about it is checked (recording
// mfa_disabled).
func (s *Server) enroll(ctx context.Context, c *call) error {
	if c.session == nil {
		return apierr.Internal("A valid session and a registered user are required to enroll a factor")
	}
	params := &api.EnrollFactorParams{}
	if err := c.decode(params); err != nil {
		return err
	}
	switch params.FactorType {
	case factorTOTP:
		if !s.cfg.MFA.TOTPEnroll {
			return apierr.Unprocessable(apierr.MFATOTPEnrollDisabled, "MFA enroll is disabled for TOTP")
		}
		return s.enrollTOTP(ctx, c, params)
	case factorPhone:
		if !s.cfg.MFA.PhoneEnroll {
			return apierr.Unprocessable(apierr.MFAPhoneEnrollDisabled, "MFA enroll is disabled for Phone")
		}
		return s.enrollPhone(ctx, c, params)
	case factorWebAuthn:
		return apierr.Unprocessable(apierr.MFAWebAuthnEnrollDisabled, "MFA enroll is disabled for WebAuthn")
	}
	return apierr.BadRequest(apierr.ValidationFailed, "factor_type needs to be totp, phone, or webauthn")
}

// enrollTOTP makes the secret of an authenticator app. The issuer is what the app shows beside the
// code; without one it is the host of the site.
func (s *Server) enrollTOTP(ctx context.Context, c *call, params *api.EnrollFactorParams) error {
	issuer := params.Issuer
	if issuer == "" {
		site, err := url.ParseRequestURI(s.cfg.SiteURL)
		if err != nil {
			return apierr.Internal("site url is improperly formatted").Because(err)
		}
		issuer = site.Host
	}
	if err := s.mayEnroll(ctx, c, params.FriendlyName); err != nil {
		return err
	}
	// The secret leaves the server in this answer and never again.
	const failure = "Error generating QR Code"
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: string(c.user.Email), Rand: s.cfg.Rand})
	if err != nil {
		return apierr.Internal(failure).Because(err)
	}
	image, err := qrCode(key.URL())
	if err != nil {
		return apierr.Internal(failure).Because(err)
	}
	factor := &store.Factor{
		FriendlyName: store.Text(params.FriendlyName), FactorType: factorTOTP, Secret: store.Text(key.Secret()),
	}
	if err := s.storeFactor(ctx, c, factor, nil); err != nil {
		return err
	}
	return c.json(http.StatusOK, enrolled{
		ID: factor.ID, Type: factorTOTP, FriendlyName: params.FriendlyName,
		TOTP: &totpSecret{QRCode: image, Secret: key.Secret(), URI: key.URL()},
	})
}

// enrollPhone takes a number as a second factor. It is not sent anything before the first challenge.
func (s *Server) enrollPhone(ctx context.Context, c *call, params *api.EnrollFactorParams) error {
	if params.Phone == "" {
		return apierr.BadRequest(apierr.ValidationFailed, "Phone number required to enroll Phone factor")
	}
	phone, err := checkPhone(params.Phone)
	if err != nil {
		return err
	}
	for _, f := range c.user.Factors {
		if f.FactorType != factorPhone || string(f.Phone) != phone {
			continue
		}
		if f.Status == store.FactorVerified {
			return apierr.Unprocessable(apierr.MFAVerifiedFactorExists,
				"A verified phone factor already exists, unenroll the existing factor to continue")
		}
		// A number that was never verified can be enrolled again.
		if err := s.store.DeleteFactor(ctx, f.ID); err != nil {
			return apierr.Internal("Database error deleting unverified phone factors").Because(err)
		}
	}
	if err := s.mayEnroll(ctx, c, params.FriendlyName); err != nil {
		return err
	}
	factor := &store.Factor{
		FriendlyName: store.Text(params.FriendlyName), FactorType: factorPhone, Phone: store.Text(phone),
	}
	if err := s.storeFactor(ctx, c, factor, map[string]any{"factor_type": factorPhone}); err != nil {
		return err
	}
	return c.json(http.StatusOK, enrolled{
		ID: factor.ID, Type: factorPhone, FriendlyName: params.FriendlyName, Phone: params.Phone,
	})
}

// mayEnroll refuses a name that the user has given to another factor, too many factors, and a session
// that has not proved the factor that exists.
func (s *Server) mayEnroll(ctx context.Context, c *call, name string) error {
	if err := s.store.DeleteExpiredFactors(ctx, s.cfg.MFA.FactorExpiry); err != nil {
		return err
	}
	if err := s.store.LoadFactors(ctx, c.user); err != nil {
		return err
	}
	// An empty name is a name here: a second factor without one is refused, as in the real server.
	verified := 0
	for _, f := range c.user.Factors {
		if string(f.FriendlyName) == name {
			return apierr.Unprocessable(apierr.MFAFactorNameConflict,
				"A factor with the friendly name %q for this user already exists", name)
		}
		if f.Status == store.FactorVerified {
			verified++
		}
	}
	switch {
	// Both limits have the same words, which speak of verified factors, in the real server too.
	case len(c.user.Factors) >= s.cfg.MFA.MaxEnrolledFactors, verified >= s.cfg.MFA.MaxVerifiedFactors:
		return apierr.Unprocessable(apierr.TooManyEnrolledFactors, "Maximum number of verified factors reached, unenroll to continue")
	case verified > 0 && c.session.Level() != store.AAL2:
		return apierr.Forbidden(apierr.InsufficientAAL, "AAL2 required to enroll a new factor")
	}
	return nil
}

// storeFactor stores a factor and says so in the audit log, with further traits that may be nil.
func (s *Server) storeFactor(ctx context.Context, c *call, f *store.Factor, traits map[string]any) error {
	return s.store.Tx(ctx, func(tx *store.Conn) error {
		if err := tx.CreateFactor(ctx, c.user.ID, f); err != nil {
			return err
		}
		event := store.Event{Action: store.FactorEnrolled, IP: c.ip(), Traits: map[string]any{"factor_id": f.ID}}
		for name, value := range traits {
			event.Traits[name] = value
		}
		return tx.Audit(ctx, c.user, event)
	})
}

// qrCode draws a text as an SVG document, three units to a module. It has no number sign, so that it
// can stand in a data URL as it is.
func qrCode(text string) (string, error) {
	// The highest level of error correction: screens are photographed at an angle.
	code, err := qr.Encode(text, qr.H, qr.Auto)
	if err != nil {
		return "", fmt.Errorf("encode a QR code: %w", err)
	}
	const unit = 3
	size := code.Bounds().Dx()
	side := (size + 8) * unit // four modules of margin on each side
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">`+
		`<rect width="%d" height="%d" fill="white"/><path fill="black" d="`, side, side, size+8, size+8, size+8, size+8)
	for y := range size {
		for x := range size {
			if isDark(code, x, y) {
				fmt.Fprintf(&out, "M%d %dh1v1h-1z", x+4, y+4)
			}
		}
	}
	out.WriteString(`"/></svg>`)
	return out.String(), nil
}

// isDark tells the colour of a module.
func isDark(code barcode.Barcode, x, y int) bool {
	red, _, _, _ := code.At(x, y).RGBA()
	return red == 0
}
