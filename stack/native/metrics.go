package native

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// loadsMetric counts how often the schema cache was loaded, by outcome.
const loadsMetric = "pgrst_schema_cache_loads_total"

// loads is how often PostgREST has loaded its schema cache well.
func (r *REST) loads(ctx context.Context, client *http.Client) (float64, error) {
	resp, err := get(ctx, client, http.MethodGet, r.url(adminPort)+"/metrics")
	if err != nil {
		return 0, fmt.Errorf("ask rest for its metrics: %w", err)
	}
	defer resp.Body.Close()
	var sum float64
	scanner := bufio.NewScanner(resp.Body)
	for scanner.Scan() {
		labels, ok := strings.CutPrefix(scanner.Text(), loadsMetric+"{")
		if !ok || !strings.Contains(labels, `"SUCCESS"`) {
			continue
		}
		_, value, _ := strings.Cut(labels, "} ")
		n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil {
			return 0, fmt.Errorf("metric %s: %w", loadsMetric, err)
		}
		sum += n
	}
	return sum, scanner.Err()
}
