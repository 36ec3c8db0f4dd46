package auth

import (
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// referrer is where a link that the request asks for leads in the end: what it says in redirect_to,
// where it comes from, or the site, whichever first is allowed.
func (s *Server) referrer(r *http.Request) string {
	wanted := r.Header.Get("redirect_to")
	if wanted == "" {
		wanted = r.URL.Query().Get("redirect_to")
	}
	for _, candidate := range []string{wanted, r.Referer()} {
		if s.mayRedirectTo(candidate) {
			return candidate
		}
	}
	return s.cfg.SiteURL
}

var (
	decimalAddress = regexp.MustCompile(`^[0-9]+$`)
	plainHost      = regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$`)
)

// mayRedirectTo tells whether an address may be given tokens: the site's own scheme, host and port
// (any port on this machine, RFC 8252 section 7.3), a loopback address, or one that matches the allow
// list without its fragment. Source: upstream, internal/utilities/request.go.
func (s *Server) mayRedirectTo(address string) bool {
	if address == "" {
		return false
	}
	site, siteErr := url.Parse(s.cfg.SiteURL)
	target, err := url.Parse(address)
	if siteErr != nil || err != nil {
		return false
	}
	host := target.Hostname()
	if site.Scheme == target.Scheme && site.Hostname() == host &&
		(site.Port() == target.Port() || isThisMachine(host)) {
		return true
	}
	// Addresses of apps have schemes of their own, and hosts that are no hosts.
	isHTTP := target.Scheme == "http" || target.Scheme == "https"
	switch ip := net.ParseIP(host); {
	case decimalAddress.MatchString(host):
		return false // 127.0.0.1 can be written as one number, and so can every other address
	case ip != nil:
		return ip.IsLoopback()
	case isHTTP && !plainHost.MatchString(host):
		return false
	}
	withoutFragment, _, _ := strings.Cut(address, "#")
	for _, pattern := range s.outgoing.allow {
		if pattern.Match(withoutFragment) {
			return true
		}
	}
	return false
}

func isThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}
