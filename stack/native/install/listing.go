package install

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// maxListing is more than GitHub's description of any release takes.
const maxListing = 2 << 20

// listing is what GitHub's API says of a release.
type listing struct {
	Assets []struct {
		Name string `json:"name"`
		// Digest is "sha256:" and 64 hexadecimal digits. Files that were uploaded before
		// June 2025 have none.
		Digest string `json:"digest"`
	} `json:"assets"`
}

// has reports whether the release has a file; one without any file has not been read.
func (l listing) has(asset string) bool { return slices.Contains(l.names(), asset) }

func (l listing) names() []string {
	names := make([]string, len(l.Assets))
	for i, asset := range l.Assets {
		names[i] = asset.Name
	}
	slices.Sort(names)
	return names
}

// digest is the SHA-256 that the listing gives for a file, empty when it gives none.
func (l listing) digest(asset string) string {
	for _, a := range l.Assets {
		digest, ok := strings.CutPrefix(strings.ToLower(a.Digest), "sha256:")
		if a.Name == asset && ok && digestPattern.MatchString(digest) {
			return digest
		}
	}
	return ""
}

// digestPattern is a SHA-256 as it is written everywhere here.
var digestPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// readListing asks for the description of a release.
func (in *installation) readListing(ctx context.Context) (listing, error) {
	address := in.release.listing(in.cfg.ListingURL)
	shown := redacted(address)
	ctx, alive, stop := watch(ctx, in.cfg.StallTimeout)
	defer stop()
	resp, err := get(ctx, in.cfg.Client, address, http.Header{"Accept": {"application/vnd.github+json"}})
	if err != nil {
		return listing{}, err
	}
	defer resp.Body.Close()
	alive()
	if resp.StatusCode != http.StatusOK {
		return listing{}, newStatusError(shown, resp)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxListing+1))
	if err != nil {
		return listing{}, fmt.Errorf("GET %s: %w", shown, ended(ctx, err))
	}
	if len(body) > maxListing {
		return listing{}, fmt.Errorf("GET %s: more than %d bytes", shown, maxListing)
	}
	var l listing
	if err := json.Unmarshal(body, &l); err != nil {
		return listing{}, fmt.Errorf("GET %s: %w", shown, err)
	}
	return l, nil
}
