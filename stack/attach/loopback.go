package attach

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Resolver resolves a host name to its addresses; *net.Resolver is one.
type Resolver interface {
	LookupHost(ctx context.Context, host string) ([]string, error)
}

// RemoteError is a place on another machine that was not allowed.
type RemoteError struct {
	// Hosts are the hosts that are not this machine's loopback, as they are written,
	// with their first such address where that is another text.
	Hosts []string
}

// Error names the hosts.
func (e *RemoteError) Error() string {
	return fmt.Sprintf("the stack is not on this machine (%s): people would be signed up and rows written there", strings.Join(e.Hosts, ", "))
}

// Hint says how to allow it.
func (e *RemoteError) Hint() string {
	return "--allow-remote lets it happen; what would change other data than the run's own is not done then"
}

// Remote lists the hosts of a place that are not on this machine's loopback: of the
// API's address, and of every server that the database's address can lead to. A name
// counts with all of its addresses. The error is a name that cannot be resolved: where
// it leads, nobody can tell.
func (p Place) Remote(ctx context.Context, resolver Resolver) ([]string, error) {
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	api, err := url.Parse(p.APIURL)
	if err != nil {
		return nil, &PlaceError{"API URL", "cannot be read"}
	}
	hosts, err := hostsOfDB(p.DBURL)
	if err != nil {
		return nil, err
	}
	var remote []string
	for _, host := range slices.Compact(append([]string{api.Hostname()}, hosts...)) {
		far, err := remoteName(ctx, resolver, host)
		if err != nil {
			return nil, err
		}
		if far != "" && !slices.Contains(remote, far) {
			remote = append(remote, far)
		}
	}
	return remote, nil
}

// hostsOfDB lists every server that a driver would try for a URL, sockets left out:
// several hosts in one URL, host parameters, and what the environment fills in.
func hostsOfDB(text string) ([]string, error) {
	config, err := pgconn.ParseConfig(text)
	if err != nil {
		// The library's error may quote the URL, and with it the password.
		return nil, &PlaceError{"DB URL", "cannot be read"}
	}
	all := []string{config.Host}
	for _, other := range config.Fallbacks {
		all = append(all, other.Host)
	}
	var hosts []string
	for _, host := range all {
		// The driver takes what begins like a path, or like an abstract name, as a socket.
		socket := strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@")
		if !socket && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts, nil
}

// remoteName is how a host that is not loopback is called in an error; empty for
// loopback.
func remoteName(ctx context.Context, resolver Resolver, host string) (string, error) {
	if address, err := netip.ParseAddr(host); err == nil {
		if isLoopback(address) {
			return "", nil
		}
		return host, nil
	}
	addresses, err := resolver.LookupHost(ctx, host)
	if err != nil || len(addresses) == 0 {
		return "", fmt.Errorf("the host %q cannot be resolved, so nobody can tell whether it is this machine: %w", host, err)
	}
	for _, text := range addresses {
		address, err := netip.ParseAddr(text)
		if err != nil || !isLoopback(address) {
			return fmt.Sprintf("%s (%s)", host, text), nil
		}
	}
	return "", nil
}

func isLoopback(address netip.Addr) bool { return address.Unmap().IsLoopback() }
