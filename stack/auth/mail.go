package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/hooks"
	"github.com/supascore/supascore/stack/auth/mailbox"
	"github.com/supascore/supascore/stack/auth/store"
)

// The kinds of mails. They are also the types of POST /verify, with typeEmail and typeSMS.
const (
	mailSignup         = "signup"
	mailRecovery       = "recovery"
	mailInvite         = "invite"
	mailMagicLink      = "magiclink"
	mailEmailChange    = "email_change"
	mailReauthenticate = "reauthentication"
)

// letter is who a mail or a text message goes to, and on behalf of which request. The user's tokens
// are stored, and hooks run, in tx.
type letter struct {
	c  *call
	tx *store.Conn
	u  *store.User
}

// mail is one mail on its way out.
type mail struct {
	kind string
	// code goes to the user's address, codeNew to the pending one.
	code, codeNew string
	// hash is what is stored for the code, with the prefix of its flow. For a change of address it is
	// that of the pending address.
	hash string
	// failure is the message of errors that have none for the client.
	failure string
}

// sendMail hands a mail to the send_email hook, or to the mailbox.
func (s *Server) sendMail(ctx context.Context, l letter, m mail) error {
	err := s.deliver(ctx, l, m)
	var known *apierr.Error
	if err != nil && !errors.As(err, &known) {
		return apierr.Internal("%s", m.failure).Because(err)
	}
	return err
}

// deliver checks the limit and passes a mail on. The hook runs in the transaction that stores the
// token: when it fails, nothing has been sent and nothing is stored.
func (s *Server) deliver(ctx context.Context, l letter, m mail) error {
	if !s.mayMail() {
		return errMailLimit()
	}
	redirectTo := s.referrer(l.c.r)
	if !s.hooks.Enabled(hooks.SendEmail) {
		return s.post(l.u, m, redirectTo)
	}
	return hookError(s.hooks.SendEmail(ctx, l.tx.PGX(), hooks.EmailInput{
		IPAddress: l.c.ip(), User: l.u, Email: s.emailData(l.u, m, redirectTo),
	}))
}

// mayMail takes one mail from the limit. It holds only where addresses have to be confirmed, as in the
// real server, unless it is zero.
func (s *Server) mayMail() bool {
	return s.cfg.Limits.EmailSent.Events != 0 && (s.cfg.Mailer.Autoconfirm || s.outgoing.mails.allow())
}

func errMailLimit() error {
	return apierr.TooManyRequests(apierr.OverEmailSendRateLimit, "email rate limit exceeded")
}

// emailData is what the hook is told. In a change of address codes and hashes are crossed, as
// upstream says of itself: token_hash_new belongs to token, token_hash to token_new (recording
// user_update_email_double_confirm).
func (s *Server) emailData(u *store.User, m mail, redirectTo string) hooks.EmailData {
	data := hooks.EmailData{
		Token: m.code, TokenHash: m.hash, RedirectTo: redirectTo, EmailActionType: m.kind, SiteURL: s.cfg.ExternalURL,
	}
	if m.kind != mailEmailChange {
		return data
	}
	if s.cfg.Mailer.SecureEmailChange && u.Email != "" {
		data.TokenNew, data.TokenHashNew = m.codeNew, u.EmailChangeTokenCurrent
	} else {
		data.Token = m.codeNew
	}
	return data
}

// post puts a mail into the mailbox; a change of address makes two.
func (s *Server) post(u *store.User, m mail, redirectTo string) error {
	if m.kind != mailEmailChange {
		return s.postTo(string(u.Email), m, redirectTo)
	}
	if m.code != "" {
		current := mail{kind: m.kind, code: m.code, hash: u.EmailChangeTokenCurrent}
		if err := s.postTo(string(u.Email), current, redirectTo); err != nil {
			return err
		}
	}
	return s.postTo(u.EmailChange, mail{kind: m.kind, code: m.codeNew, hash: m.hash}, redirectTo)
}

// postTo puts one message into the mailbox. Its text has all that a reader or a test needs; templates
// of config.toml do not apply.
func (s *Server) postTo(address string, m mail, redirectTo string) error {
	subject, path := s.mailTexts(m.kind)
	message := mailbox.Message{
		To: address, Kind: m.kind, Subject: subject, Code: m.code, TokenHash: m.hash, RedirectTo: redirectTo,
		Text: fmt.Sprintf("%s\n\nYour code: %s\n", subject, m.code),
	}
	if path != "" {
		var err error
		if message.Link, err = s.actionLink(path, m.hash, m.kind, redirectTo); err != nil {
			return err
		}
		message.Text += fmt.Sprintf("Or follow this link: %s\n", message.Link)
	}
	s.outgoing.box.Add(message)
	return nil
}

// mailTexts are the subject of a mail and the path of its link, which is empty for a mail without.
func (s *Server) mailTexts(kind string) (subject, path string) {
	paths := s.cfg.Mailer.Paths
	switch kind {
	case mailSignup:
		return "Confirm your email address", paths.Confirmation
	case mailInvite:
		return "You have been invited", paths.Invite
	case mailRecovery:
		return "Reset your password", paths.Recovery
	case mailMagicLink:
		return "Your sign-in link", paths.Recovery
	case mailEmailChange:
		return "Confirm the change of your email address", paths.EmailChange
	}
	return "Confirm that it is you", ""
}

// pending is a one-time token of a user: where it is kept, and what its mail is.
type pending struct {
	kind    string
	token   *string
	sentAt  **time.Time
	columns []store.Column
	ott     store.TokenType
	failure string
}

// confirmationOf is the token that confirms a user's address, as the mail of a sign-up has it.
func confirmationOf(u *store.User) pending {
	return pending{
		mailSignup, &u.ConfirmationToken, &u.ConfirmationSentAt,
		[]store.Column{store.ConfirmationToken, store.ConfirmationSentAt},
		store.ConfirmationOTT, "Error sending confirmation email",
	}
}

// recoveryOf is the token of a recovery or, what is stored alike, of a magic link.
func recoveryOf(u *store.User, kind, failure string) pending {
	return pending{
		kind, &u.RecoveryToken, &u.RecoverySentAt,
		[]store.Column{store.RecoveryToken, store.RecoverySentAt},
		store.RecoveryOTT, failure,
	}
}

// sendCode makes a code, sends it to the user's address and stores its hash. The user has the new
// hash when the hook runs, and the new time only afterwards.
func (s *Server) sendCode(ctx context.Context, l letter, p pending, f flow) error {
	code, err := s.newCode(s.cfg.Mailer.OTPLength)
	if err != nil {
		return err
	}
	now := s.now()
	*p.token = f.hash(hashCode(string(l.u.Email), code))
	if err := s.sendMail(ctx, l, mail{kind: p.kind, code: code, hash: *p.token, failure: p.failure}); err != nil {
		return err
	}
	*p.sentAt = &now
	return l.keep(ctx, p, string(l.u.Email))
}

// keep stores a pending token that went to an address or number.
func (l letter) keep(ctx context.Context, p pending, to string) error {
	err := l.tx.SaveUser(ctx, l.u, p.columns...)
	if err == nil {
		err = l.tx.CreateToken(ctx, l.u.ID, store.OneTimeToken{Type: p.ott, RelatesTo: to, Hash: *p.token})
	}
	return failure(err, p.failure)
}

// failure words an error, nil for none. Without words the client learns nothing about it.
func failure(err error, message string) error {
	if err == nil || message == unworded {
		return err
	}
	return apierr.Internal("%s", message).Because(err)
}

// sendLimited is sendCode with a least time between two mails of the kind.
func (s *Server) sendLimited(ctx context.Context, l letter, p pending, f flow) error {
	if err := s.tooSoon(apierr.OverEmailSendRateLimit, *p.sentAt, s.cfg.Mailer.MaxFrequency); err != nil {
		return err
	}
	return s.sendCode(ctx, l, p, f)
}

// now is the time as it can be stored: in UTC and microseconds.
func (s *Server) now() time.Time { return s.cfg.Now().UTC().Truncate(time.Microsecond) }

// sendConfirmation asks a user to confirm its address.
func (s *Server) sendConfirmation(ctx context.Context, l letter, f flow) error {
	return s.sendLimited(ctx, l, confirmationOf(l.u), f)
}

// sendInvite invites a user. Invitations may follow each other at any speed.
func (s *Server) sendInvite(ctx context.Context, l letter) error {
	p := confirmationOf(l.u)
	p.kind, p.failure = mailInvite, "Error sending invite email"
	if err := s.sendCode(ctx, l, p, flowImplicit); err != nil {
		return err
	}
	l.u.InvitedAt = l.u.ConfirmationSentAt
	if err := l.tx.SaveUser(ctx, l.u, store.InvitedAt); err != nil {
		return apierr.Internal("Error inviting user").Because(err)
	}
	return nil
}

// sendRecovery lets a user choose a new password.
func (s *Server) sendRecovery(ctx context.Context, l letter, f flow) error {
	return s.sendLimited(ctx, l, recoveryOf(l.u, mailRecovery, "Error sending recovery email"), f)
}

// sendMagicLink signs a user in. It shares token and limit with the recovery.
func (s *Server) sendMagicLink(ctx context.Context, l letter, f flow) error {
	return s.sendLimited(ctx, l, recoveryOf(l.u, mailMagicLink, "Error sending magic link email"), f)
}

// sendReauthentication sends a nonce for a change of password.
func (s *Server) sendReauthentication(ctx context.Context, l letter) error {
	return s.sendLimited(ctx, l, pending{
		mailReauthenticate, &l.u.ReauthenticationToken, &l.u.ReauthenticationSentAt,
		[]store.Column{store.ReauthenticationToken, store.ReauthenticationSentAt},
		store.ReauthenticationOTT, "Error sending reauthentication email",
	}, flowImplicit)
}
