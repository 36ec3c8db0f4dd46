// Package embedded lets recordings be replayed against the engines of this module: it
// gives every scenario a server of its own on a database of its own. It compares nothing.
package embedded

import (
	"context"

	"github.com/supascore/supascore/stack/parity/ground"
	"github.com/supascore/supascore/stack/postgres"
)

// Engine is a cluster on which scenarios get databases.
type Engine struct{ cluster *ground.Cluster }

// Start starts a cluster in the recorded setting. Scripts of the configuration are
// overwritten.
func Start(ctx context.Context, cfg postgres.Config) (*Engine, error) {
	cluster, err := ground.Start(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Engine{cluster}, nil
}

// Stop ends the cluster. It is idempotent.
func (e *Engine) Stop(ctx context.Context) error { return e.cluster.Stop(ctx) }
