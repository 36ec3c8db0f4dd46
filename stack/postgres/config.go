package postgres

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/supascore/supascore/stack/bootstrap"
)

// Config says where PostgreSQL comes from and what a server looks like. The
// zero value finds a PostgreSQL of version 15 or newer, keeps its cluster
// image in the user's cache folder, and listens on a free port.
type Config struct {
	// BinDir is the folder with the executables postgres and initdb. Empty
	// means: the environment variable SUPASCORE_POSTGRES_BIN, PATH, the usual
	// install folders, the cache, and at last a download.
	BinDir string
	// CacheDir holds the cluster images, the clusters of running servers and
	// downloaded executables. Empty means: the environment variable
	// SUPASCORE_CACHE_DIR, or the folder supascore in the user's cache folder
	// (XDG_CACHE_HOME is honoured everywhere), or /var/cache/supascore when run
	// as root, because the unprivileged user that root's server runs as has to
	// reach it.
	CacheDir string
	// RunDir holds the clusters of running servers, which are gone after Stop.
	// Empty means: the environment variable SUPASCORE_RUN_DIR; or, on Linux with
	// 1 GiB free in /dev/shm and 2 GiB of memory available, a private folder
	// there; or the cache folder.
	RunDir string
	// Kept names the cluster to go on with, or to make when there is none of the name;
	// see Server.Keep. It lies in the cache folder. Empty means a throw-away.
	Kept string
	// DownloadURL is the Maven repository from which PostgreSQL is downloaded
	// when the machine has none, "off" for never. Empty means: the environment
	// variable SUPASCORE_POSTGRES_DOWNLOAD, or https://repo1.maven.org/maven2.
	DownloadURL string
	// Port is the TCP port on 127.0.0.1. 0 picks a free one.
	Port int
	// Password is that of the login roles over TCP. Default "postgres", which
	// is the Supabase CLI's.
	Password string
	// Scripts make the cluster image; every list of scripts has an image of
	// its own. Nil means those of package bootstrap with its default options.
	Scripts []bootstrap.Script
	// Log gets what happens at level debug, and what takes long (the first
	// build of an image, a download) at level info. Nil discards it.
	Log *slog.Logger
}

// defaultPassword is the password that the Supabase CLI gives every login
// role of a local project; it is baked into the cluster image.
const defaultPassword = "postgres"

// withDefaults fills what can be filled without touching the disk; the folders
// are looked for by Start.
func (c Config) withDefaults() (Config, error) {
	if c.Password == "" {
		c.Password = defaultPassword
	}
	c.DownloadURL = firstOf(c.DownloadURL, os.Getenv("SUPASCORE_POSTGRES_DOWNLOAD"), defaultDownloadURL)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Scripts == nil {
		scripts, err := bootstrap.Scripts(bootstrap.Options{})
		if err != nil {
			return Config{}, err
		}
		c.Scripts = scripts
	}
	return c, nil
}

func (c Config) validate() error {
	if c.Port < 0 || c.Port > 65535 {
		return fmt.Errorf("postgres: port %d is not between 0 and 65535", c.Port)
	}
	if c.Kept != "" && !keptName.MatchString(c.Kept) {
		return badKeptName(c.Kept)
	}
	return nil
}
