package auth

import (
	"context"
	"fmt"

	"github.com/supascore/supascore/stack/auth/hooks"
	"github.com/supascore/supascore/stack/auth/mailbox"
	"github.com/supascore/supascore/stack/auth/store"
)

// The notifications, by the names that their settings have. Their mails ask for nothing: they tell the
// user what has happened to the account.
const (
	noticePasswordChanged  = "password_changed"
	noticeEmailChanged     = "email_changed"
	noticePhoneChanged     = "phone_changed"
	noticeIdentityLinked   = "identity_linked"
	noticeIdentityUnlinked = "identity_unlinked"
	noticeFactorEnrolled   = "mfa_factor_enrolled"
	noticeFactorUnenrolled = "mfa_factor_unenrolled"
)

// notices lists the names of all notifications.
func notices() []string {
	return []string{
		noticePasswordChanged, noticeEmailChanged, noticePhoneChanged, noticeIdentityLinked,
		noticeIdentityUnlinked, noticeFactorEnrolled, noticeFactorUnenrolled,
	}
}

// notice is a notification on its way out. What is changed from is set for the kind that is about it.
type notice struct {
	kind               string
	oldEmail, oldPhone string
	provider           string
	factorType         string
	// to is the address that it goes to; empty: the user's.
	to string
}

// notify tells the user what has happened, when the settings want that. A notification that cannot be
// sent is logged and undoes nothing: what it is about has happened all the same. One whose SQL hook
// fails within the transaction of the change does undo it, because PostgreSQL has ended that
// transaction; so it is with the real server.
func (s *Server) notify(ctx context.Context, l letter, n notice) {
	if n.to == "" {
		n.to = string(l.u.Email)
	}
	if !s.cfg.Mailer.Notifications[n.kind] || n.to == "" {
		return
	}
	if err := s.deliverNotice(ctx, l, n); err != nil {
		s.cfg.Log.Warn("notification not sent", "kind", n.kind, "user_id", l.u.ID, "error", err.Error())
	}
}

func (s *Server) deliverNotice(ctx context.Context, l letter, n notice) error {
	if !s.mayMail() {
		return errMailLimit()
	}
	if !s.hooks.Enabled(hooks.SendEmail) {
		s.postNotice(l.u, n)
		return nil
	}
	return s.hooks.SendEmail(ctx, l.tx.PGX(), hooks.EmailInput{
		IPAddress: l.c.ip(), User: l.u, Email: hooks.EmailData{
			RedirectTo: s.referrer(l.c.r), EmailActionType: n.kind + "_notification", SiteURL: s.cfg.ExternalURL,
			OldEmail: n.oldEmail, OldPhone: n.oldPhone, Provider: n.provider, FactorType: n.factorType,
		},
	})
}

// postNotice puts a notification into the mailbox. News of a changed address goes to the old one: the
// new one may be a thief's.
func (s *Server) postNotice(u *store.User, n notice) {
	m := mailbox.Message{To: n.to, Kind: n.kind + "_notification"}
	switch n.kind {
	case noticePasswordChanged:
		m.Subject, m.Text = "Your password was changed", "The password of your account was changed."
	case noticeEmailChanged:
		m.To = n.oldEmail
		m.Subject = "Your email address was changed"
		m.Text = fmt.Sprintf("The address of your account was changed from %s to %s.", n.oldEmail, u.Email)
	case noticePhoneChanged:
		m.Subject = "Your phone number was changed"
		m.Text = fmt.Sprintf("The number of your account was changed from %s to %s.", n.oldPhone, u.Phone)
	case noticeIdentityLinked:
		m.Subject = "A way to sign in was added"
		m.Text = fmt.Sprintf("You can now sign in to your account by %s.", n.provider)
	case noticeIdentityUnlinked:
		m.Subject = "A way to sign in was removed"
		m.Text = fmt.Sprintf("You can no longer sign in to your account by %s.", n.provider)
	case noticeFactorEnrolled:
		m.Subject = "A second factor was added"
		m.Text = fmt.Sprintf("A second factor of type %s was added to your account.", n.factorType)
	case noticeFactorUnenrolled:
		m.Subject = "A second factor was removed"
		m.Text = fmt.Sprintf("A second factor of type %s was removed from your account.", n.factorType)
	}
	s.outgoing.box.Add(m)
}

// reachable is how a user can be reached, to tell later what has changed.
type reachable struct {
	email, phone string
	byPhone      bool
}

func reachableBy(u *store.User) reachable {
	r := reachable{email: string(u.Email), phone: string(u.Phone)}
	for _, identity := range u.Identities {
		r.byPhone = r.byPhone || identity.Provider == providerPhone
	}
	return r
}

// notifyChanges tells the user about an address or number that was replaced, and about a number that
// is a new way to sign in. A first address or number replaces nothing.
func (s *Server) notifyChanges(ctx context.Context, l letter, before reachable) {
	after := reachableBy(l.u)
	if before.email != "" && after.email != "" && before.email != after.email {
		s.notify(ctx, l, notice{kind: noticeEmailChanged, oldEmail: before.email})
	}
	if before.phone != "" && after.phone != "" && before.phone != after.phone {
		s.notify(ctx, l, notice{kind: noticePhoneChanged, oldPhone: before.phone})
	}
	if after.byPhone && !before.byPhone {
		s.notify(ctx, l, notice{kind: noticeIdentityLinked, provider: providerPhone})
	}
}
