package install

import (
	"context"
	"fmt"
	"strings"
)

// Trust says who vouches for an archive: where the SHA-256 came from with which it was
// compared before it was unpacked.
type Trust string

// The kinds of trust, the strongest first.
const (
	// TrustPinned: the digest is part of this program.
	TrustPinned Trust = "pinned"
	// TrustListed: the digest is the one in GitHub's listing of the release.
	TrustListed Trust = "listed"
	// TrustRecorded: nobody gave a digest, but the same archive was installed here before,
	// and install.lock has its digest from then.
	TrustRecorded Trust = "recorded"
	// TrustFirstUse: nobody gave a digest. What came was taken and its digest was recorded.
	TrustFirstUse Trust = "first-use"
	// TrustByHand: nothing was downloaded; somebody put the executable there.
	TrustByHand Trust = "by-hand"
)

// Words go on with a sentence that begins with a digest: where it came from.
func (t Trust) Words() string {
	switch t {
	case TrustPinned:
		return "is pinned in this program"
	case TrustListed:
		return "is in the listing of the release"
	case TrustRecorded:
		return "is in " + recordName + " from an earlier installation"
	case TrustFirstUse:
		return "was given by nobody: it is trusted on first use, and " + recordName + " remembers it"
	default:
		return "is unknown"
	}
}

// expectation is the digest that an archive has to have; none on first use.
type expectation struct {
	sha256 string
	trust  Trust
}

// expect finds the digest of the archive: ours, else upstream's, else the one that was
// seen last time. Upstream's may not differ from the one of last time either: a release
// that changes under its name is what digests are to notice.
func (in *installation) expect(ctx context.Context, r *record) (expectation, error) {
	recorded := r.archive(in.release.asset)
	want := expectation{trust: TrustFirstUse}
	if recorded != "" {
		want = expectation{recorded, TrustRecorded}
	}
	if pin, ok := in.cfg.pinned(in.release.asset); ok {
		want = expectation{pin, TrustPinned}
	} else if listed, err := in.readListing(ctx); err != nil {
		if ctx.Err() != nil {
			return want, context.Cause(ctx)
		}
		in.cfg.Log.Info("the listing of the release cannot be read, so no digest comes from there", "reason", err)
	} else {
		in.listed = &listed
		if len(listed.Assets) > 0 && !listed.has(in.release.asset) {
			return want, &missingError{in.release, listed.names()}
		}
		if digest := listed.digest(in.release.asset); digest != "" {
			want = expectation{digest, TrustListed}
		}
	}
	if recorded != "" && recorded != want.sha256 {
		return want, &changedError{in.release.asset, recorded, want, r.path}
	}
	return want, nil
}

// missingError says that a release has no such file.
type missingError struct {
	release
	has []string
}

func (e *missingError) Error() string {
	return fmt.Sprintf("release %s of %s has no %s; it has: %s", e.tag, e.repo, e.asset, strings.Join(e.has, ", "))
}

// changedError says that an archive is not any more what it was.
type changedError struct {
	asset    string
	recorded string
	now      expectation
	path     string
}

func (e *changedError) Error() string {
	return fmt.Sprintf("%s has changed: SHA-256 %s %s, but it was %s when it was installed last", e.asset, e.now.sha256, e.now.trust.Words(), e.recorded)
}

// Hint is what to do when the change is a good one.
func (e *changedError) Hint() string {
	return fmt.Sprintf("when there is a good reason for it, remove the entry from %s and install again", e.path)
}

// mismatchError says that what was downloaded is not what was expected.
type mismatchError struct {
	url  string
	got  string
	want expectation
}

func (e *mismatchError) Error() string {
	return fmt.Sprintf("%s: SHA-256 is %s, but %s %s; the download was thrown away", e.url, e.got, e.want.sha256, e.want.trust.Words())
}
