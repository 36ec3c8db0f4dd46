package store

import (
	"context"
	"fmt"
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
