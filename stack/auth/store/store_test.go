package store_test

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/auth/store"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

// open opens a store on a database of the test's own.
func open(t *testing.T, maxConns int32) (s *store.Store, database string) {
	t.Helper()
	server := postgrestest.Shared(t)
	database = postgrestest.Database(t, server)
	s, err := store.Open(t.Context(), store.Config{
		URL: server.URL("supabase_auth_admin", database), MaxConns: maxConns, Rand: rand.Reader,
	})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s, database
}

// newUser inserts a user.
func newUser(t *testing.T, s *store.Store, email string) *store.User {
	t.Helper()
	u := store.NewUser(uuid.New(), email, "", "authenticated", nil)
	u.AppMetaData = store.Object{}
	require.NoError(t, s.CreateUser(t.Context(), u))
	return u
}

func TestATransaction(t *testing.T) {
	t.Parallel()
	t.Run("commits without an error", func(t *testing.T) {
		t.Parallel()
		s, _ := open(t, 2)
		var u *store.User
		require.NoError(t, s.Tx(t.Context(), func(tx *store.Conn) error {
			u = store.NewUser(uuid.New(), "A@Example.com", "", "authenticated", store.Object{"n": 1.0})
			return tx.CreateUser(t.Context(), u)
		}))
		found, err := s.UserByEmail(t.Context(), "a@example.COM", "authenticated")
		require.NoError(t, err)
		assert.Equal(t, u.ID, found.ID)
		assert.Equal(t, store.Object{"n": 1.0}, found.UserMetaData)
		assert.Equal(t, u.CreatedAt, found.CreatedAt, "what is told is what is stored")
		assert.Equal(t, time.UTC, found.CreatedAt.Location())
	})
	t.Run("rolls back on an error", func(t *testing.T) {
		t.Parallel()
		s, _ := open(t, 2)
		u := newUser(t, s, "a@example.com")
		boom := errors.New("boom")
		err := s.Tx(t.Context(), func(tx *store.Conn) error {
			require.NoError(t, tx.DeleteUser(t.Context(), u.ID))
			return boom
		})
		require.ErrorIs(t, err, boom)
		_, err = s.UserByID(t.Context(), u.ID)
		require.NoError(t, err)
	})
	t.Run("commits on a CommitError and returns it", func(t *testing.T) {
		t.Parallel()
		s, _ := open(t, 2)
		u := newUser(t, s, "a@example.com")
		boom := errors.New("boom")
		err := s.Tx(t.Context(), func(tx *store.Conn) error {
			require.NoError(t, tx.DeleteUser(t.Context(), u.ID))
			return &store.CommitError{Err: boom}
		})
		require.ErrorIs(t, err, boom)
		_, err = s.UserByID(t.Context(), u.ID)
		require.ErrorIs(t, err, store.ErrNotFound)
	})
	t.Run("is rolled back when its function panics, and gives its connection back", func(t *testing.T) {
		t.Parallel()
		s, _ := open(t, 1)
		u := newUser(t, s, "a@example.com")
		assert.Panics(t, func() {
			_ = s.Tx(t.Context(), func(tx *store.Conn) error {
				require.NoError(t, tx.DeleteUser(t.Context(), u.ID))
				panic("boom")
			})
		})
		_, err := s.UserByID(t.Context(), u.ID)
		require.NoError(t, err)
	})
}

func TestTheStoreSurvivesTheEndOfItsConnections(t *testing.T) {
	t.Parallel()
	s, database := open(t, 3)
	u := newUser(t, s, "a@example.com")
	// Have all three connections open at once, so that all of them die below.
	var wg sync.WaitGroup
	all := make(chan struct{})
	for range 3 {
		wg.Go(func() {
			assert.NoError(t, s.Tx(t.Context(), func(*store.Conn) error {
				select {
				case all <- struct{}{}:
				case <-t.Context().Done():
				}
				return nil
			}))
		})
	}
	for range 3 {
		<-all
	}
	wg.Wait()
	admin := connect(t, "supabase_admin", "postgres")
	for _, attempt := range []func() error{
		func() error { _, err := s.UserByID(t.Context(), u.ID); return err },
		func() error { return s.Tx(t.Context(), func(*store.Conn) error { return nil }) },
		func() error { return s.DeleteSessions(t.Context(), u.ID) },
	} {
		_, err := admin.Exec(t.Context(), `select pg_terminate_backend(pid, 5000) from pg_stat_activity
			where datname = $1 and usename = 'supabase_auth_admin'`, database)
		require.NoError(t, err)
		require.NoError(t, attempt())
	}
}

func TestAStatementInATransactionIsNotRepeated(t *testing.T) {
	t.Parallel()
	s, database := open(t, 2)
	admin := connect(t, "supabase_admin", "postgres")
	err := s.Tx(t.Context(), func(tx *store.Conn) error {
		_, err := admin.Exec(t.Context(), `select pg_terminate_backend(pid, 5000) from pg_stat_activity
			where datname = $1 and usename = 'supabase_auth_admin'`, database)
		require.NoError(t, err)
		_, err = tx.UserByID(t.Context(), uuid.New())
		return err
	})
	require.Error(t, err)
	assert.NotErrorIs(t, err, store.ErrNotFound)
}

func TestALockedRefreshTokenIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	s, _ := open(t, 3)
	u := newUser(t, s, "a@example.com")
	session, err := s.CreateSession(t.Context(), u.ID, store.Grant{UserAgent: "test", IP: "127.0.0.1"})
	require.NoError(t, err)
	token, err := s.CreateRefreshToken(t.Context(), u.ID, session, nil)
	require.NoError(t, err)
	assert.Regexp(t, `^[a-z0-9]{12}$`, token)
	require.NoError(t, s.Tx(t.Context(), func(first *store.Conn) error {
		found, err := first.FindRefresh(t.Context(), token, true)
		require.NoError(t, err)
		assert.Equal(t, session, found.Session.ID)
		assert.Equal(t, "127.0.0.1", *found.Session.IP)
		return s.Tx(t.Context(), func(second *store.Conn) error {
			_, err := second.FindRefresh(t.Context(), token, true)
			require.ErrorIs(t, err, store.ErrNotFound)
			unlocked, err := second.FindRefresh(t.Context(), token, false)
			require.NoError(t, err)
			assert.Equal(t, u.ID, unlocked.User.ID)
			return nil
		})
	}))
}

func TestRevokingAFamilyWithoutASessionFollowsTheParents(t *testing.T) {
	t.Parallel()
	s, database := open(t, 2)
	postgrestest.Exec(t, postgrestest.Shared(t), "postgres", database, `
		insert into auth.refresh_tokens (token, user_id, parent, revoked, created_at, updated_at) values
			('one', gen_random_uuid(), null, true, now(), now()), ('two', gen_random_uuid(), 'one', false, now(), now()),
			('three', gen_random_uuid(), 'two', false, now(), now()), ('other', gen_random_uuid(), null, false, now(), now())`)
	one, err := s.RefreshToken(t.Context(), "one")
	require.NoError(t, err)
	require.NoError(t, s.RevokeFamily(t.Context(), one))
	for token, revoked := range map[string]bool{"two": true, "three": true, "other": false} {
		found, err := s.RefreshToken(t.Context(), token)
		require.NoError(t, err)
		assert.Equal(t, revoked, found.Revoked, token)
	}
}

func TestOpenFailsWithoutTheSchema(t *testing.T) {
	t.Parallel()
	server := postgrestest.Shared(t)
	_, err := store.Open(context.Background(), store.Config{URL: server.URL("supabase_auth_admin", "template1"), Rand: rand.Reader})
	require.ErrorContains(t, err, "open the database of Auth")
}
