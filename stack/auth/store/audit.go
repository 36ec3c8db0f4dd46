package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Action is what an entry of auth.audit_log_entries is about.
type Action string

// The actions that the server records.
const (
	Login                     Action = "login"
	LoggedOut                 Action = "logout"
	InviteAccepted            Action = "invite_accepted"
	UserSignedUp              Action = "user_signedup"
	UserInvited               Action = "user_invited"
	UserDeleted               Action = "user_deleted"
	UserModified              Action = "user_modified"
	UserRecoveryRequested     Action = "user_recovery_requested"
	UserReauthenticate        Action = "user_reauthenticate_requested"
	UserConfirmationRequested Action = "user_confirmation_requested"
	UserRepeatedSignup        Action = "user_repeated_signup"
	UserUpdatedPassword       Action = "user_updated_password"
	IdentityUnlinked          Action = "identity_unlinked"
	PasskeyDeleted            Action = "passkey_deleted"
	TokenRevoked              Action = "token_revoked"
	TokenRefreshed            Action = "token_refreshed"
	FactorEnrolled            Action = "factor_in_progress"
	FactorUnenrolled          Action = "factor_unenrolled"
	ChallengeCreated          Action = "challenge_created"
	VerificationAttempted     Action = "verification_attempted"
	FactorDeleted             Action = "factor_deleted"
	FactorUpdated             Action = "factor_updated"
)

// logType is the group of an action.
func (a Action) logType() string {
	switch a {
	case Login, LoggedOut, InviteAccepted:
		return "account"
	case UserSignedUp, UserInvited, UserDeleted:
		return "team"
	case TokenRevoked, TokenRefreshed:
		return "token"
	case FactorEnrolled, FactorUnenrolled, ChallengeCreated, VerificationAttempted, FactorDeleted, FactorUpdated:
		return "factor"
	}
	return "user"
}

// Event is an entry of the audit log.
type Event struct {
	Action Action
	// IP is empty for most actions.
	IP string
	// Traits may be nil.
	Traits map[string]any
}

// Audit records that a user did something.
func (c *Conn) Audit(ctx context.Context, actor *User, event Event) error {
	name := string(actor.Email)
	if actor.Phone != "" {
		name = string(actor.Phone)
	}
	payload := map[string]any{
		"actor_id": actor.ID, "actor_via_sso": actor.IsSSOUser, "actor_username": name,
		"action": event.Action, "log_type": event.Action.logType(),
	}
	// People are found by their names where a project keeps one in the usual member.
	if fullName, ok := actor.UserMetaData["full_name"]; ok {
		payload["actor_name"] = fullName
	}
	if event.Traits != nil {
		payload["traits"] = event.Traits
	}
	const insert = `insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
		values ('` + instance + `', $1, $2, $3, $4)`
	if err := c.exec(ctx, insert, c.newID(), payload, c.now(), event.IP); err != nil {
		return fmt.Errorf("write the audit log: %w", err)
	}
	return nil
}

// AuditEntry is a row of auth.audit_log_entries.
type AuditEntry struct {
	ID        uuid.UUID `db:"id" json:"id"`
	Payload   Object    `db:"payload" json:"payload"`
	CreatedAt time.Time `db:"created_at" json:"created_at"`
	IPAddress string    `db:"ip_address" json:"ip_address"`
}

// AuditScope says where AuditSearch.Text must occur.
type AuditScope string

// The scopes of a search: the actor's name, the action, the group of the action.
const (
	ScopeAuthor AuditScope = "author"
	ScopeAction AuditScope = "action"
	ScopeType   AuditScope = "type"
)

// Valid tells whether there is such a scope.
func (s AuditScope) Valid() bool { return s == ScopeAuthor || s == ScopeAction || s == ScopeType }

// AuditSearch selects entries of the audit log.
type AuditSearch struct {
	// Scope and Text limit the entries when both are set.
	Scope AuditScope
	Text  string
	// Number counts pages from 1. Size is the number of entries on a page.
	Number, Size uint64
}

// AuditEntries are the entries on a page, the latest first, and the number of those on all pages.
func (c *Conn) AuditEntries(ctx context.Context, search AuditSearch) ([]AuditEntry, uint64, error) {
	const where = ` from auth.audit_log_entries where instance_id = '` + instance + `' and ($2 = '' or case $1
		when 'author' then payload ->> 'actor_username' ilike '%' || $2 || '%' or payload ->> 'actor_name' ilike '%' || $2 || '%'
		when 'action' then payload ->> 'action' ilike '%' || $2 || '%'
		when 'type' then payload ->> 'log_type' ilike '%' || $2 || '%' else true end)`
	total, err := one[count](ctx, c, `select count(*) as n`+where, string(search.Scope), search.Text)
	if err != nil {
		return nil, 0, fmt.Errorf("count the audit log: %w", err)
	}
	offset, size := window(search.Number, search.Size)
	entries, err := many[AuditEntry](ctx, c, `select id, payload, created_at, ip_address`+where+
		` order by created_at desc limit $3 offset $4`, string(search.Scope), search.Text, size, offset)
	if err != nil {
		return nil, 0, fmt.Errorf("read the audit log: %w", err)
	}
	return entries, uint64(total.N), nil
}
