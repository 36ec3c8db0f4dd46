package supascore

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	probe "github.com/supascore/supascore/probes/rls"
	"github.com/supascore/supascore/tasks"
)

// planCache keeps the plans of tasks, which are the same for every candidate.
type planCache struct {
	mu    sync.Mutex
	plans map[planKey]*probe.Plan
}

type planKey struct {
	hash     string
	readings tasks.Readings
}

// of is the plan of a task under the readings in force.
func (c *planCache) of(task *tasks.Task, readings tasks.Readings) *probe.Plan {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := planKey{task.Hash, readings}
	plan := c.plans[key]
	if plan == nil {
		plan = probe.NewPlan(task, readings)
		if c.plans == nil {
			c.plans = map[planKey]*probe.Plan{}
		}
		c.plans[key] = plan
	}
	return plan
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
