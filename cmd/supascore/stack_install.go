package main

import (
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack/native/install"
)

// installRun is one `stack install`.
type installRun struct {
	*app
	// versions are those asked for, by server; empty for the default one.
	versions map[string]*string
	cache    string
	from     string
}

// servers are what can be installed, in the order in which it is.
func servers() []string { return []string{install.PostgREST, install.Auth} }

func (a *app) stackInstallCommand() *cobra.Command {
	r := &installRun{app: a, versions: map[string]*string{}}
	c := &cobra.Command{
		Use:   "install [postgrest] [auth]",
		Short: "Install the real PostgREST and Auth from their releases",
		Long: `Install the real PostgREST and Auth, both or one of them, from upstream's releases into
the cache, where the native engine finds them.

An archive is compared with its SHA-256 before it is unpacked: the one that is pinned in
this program, else the one in GitHub's listing of the release, else the one of the last
installation here. When there is none of them, what comes is trusted and remembered in
install.lock. A download that broke off goes on where it was. HTTPS_PROXY is respected.

SUPASCORE_POSTGREST_BIN and SUPASCORE_AUTH_BIN name executables that are elsewhere.`,
		Example: `  supascore stack install
  supascore stack install --postgrest 14.5
  supascore stack install auth --from https://mirror.example`,
		Args:      cobra.ArbitraryArgs,
		ValidArgs: servers(),
		RunE:      func(c *cobra.Command, args []string) error { return r.run(c, args) },
	}
	flags := c.Flags()
	for _, name := range servers() {
		r.versions[name] = flags.String(name, "", "version of "+name+" (default "+install.DefaultVersion(name)+")")
	}
	flags.StringVar(&r.cache, "cache-dir", "", "folder for executables (default: $SUPASCORE_CACHE_DIR or the user's cache)")
	flags.StringVar(&r.from, "from", "", "URL of a mirror that keeps GitHub's paths (default https://github.com)")
	return c
}

func (r *installRun) run(c *cobra.Command, args []string) error {
	names, err := r.wanted(c, args)
	if err != nil {
		return err
	}
	failed := false
	for _, name := range names {
		err := r.install(c, name)
		switch {
		case err == nil:
		case c.Context().Err() != nil:
			return err
		default: // the other one may be had all the same
			r.out.error(err)
			failed = true
		}
	}
	if failed {
		return silentError{exitBroken}
	}
	return nil
}

// wanted are the servers to install. Whatever is wrong with the command line is found
// before anything is downloaded.
func (r *installRun) wanted(c *cobra.Command, args []string) ([]string, error) {
	for _, arg := range args {
		if !slices.Contains(servers(), arg) {
			return nil, usagef(c, "what can be installed: "+strings.Join(servers(), ", "), "there is no server %q", arg)
		}
	}
	if r.from != "" {
		if from, err := url.Parse(r.from); err != nil || from.Host == "" || (from.Scheme != "http" && from.Scheme != "https") {
			return nil, usagef(c, "a mirror is given like https://mirror.example", "%q is no URL of a mirror", r.from)
		}
	}
	var names []string
	for _, name := range servers() {
		wanted := len(args) == 0 || slices.Contains(args, name)
		if !wanted && c.Flags().Changed(name) {
			return nil, usagef(c, "", "--%s gives a version of %s, but only %s is to be installed", name, name, strings.Join(args, " "))
		}
		if !wanted {
			continue
		}
		if _, err := r.config().URL(name, *r.versions[name]); errors.As(err, new(*install.VersionError)) {
			return nil, usagef(c, "", "--%s: %w", name, err)
		}
		names = append(names, name)
	}
	return names, nil
}

func (r *installRun) config() install.Config {
	return install.Config{CacheDir: r.cache, BaseURL: r.from}
}

// install installs one server and says what came of it.
func (r *installRun) install(c *cobra.Command, name string) error {
	cfg := r.config()
	download := r.out.download()
	cfg.Progress, cfg.Log = download, slog.New(&noteHandler{out: download.out})
	got, err := install.Install(c.Context(), cfg, name, *r.versions[name])
	download.close()
	if err != nil {
		return err
	}
	switch {
	case got.Trust == install.TrustByHand:
		r.out.printf("%s %s is at %s, put there by hand and compared with nothing\n", got.Name, got.Version, got.Path)
		return nil
	case got.Already:
		r.out.printf("%s %s is installed already, and unchanged: %s\n", got.Name, got.Version, got.Path)
	default:
		r.out.printf("%s %s is installed: %s\n", got.Name, got.Version, got.Path)
	}
	r.out.printf("  SHA-256 %s of %s %s\n", got.SHA256, got.Asset, got.Trust.Words())
	return nil
}
