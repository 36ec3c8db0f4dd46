package supascore_test

import (
	"context"
	"fmt"
	"log"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/scorers"
)

// A workspace whose SQL is right and whose configuration lacks the hook: the
// failure that no request ever reports.
func ExampleScore() {
	ctx := context.Background()
	workspace := "fixtures/build-docs-009-custom-claims-rbac/hook-off"

	eval, err := evals.Find(evals.Builtin(), "build-docs-009-custom-claims-rbac", scorers.Library{})
	if err != nil {
		log.Fatal(err)
	}
	result, err := supascore.Score(ctx, supascore.ScoreConfig{Eval: eval, Workspace: workspace})
	if err != nil {
		log.Fatal(err)
	}
	for _, check := range result.Checks {
		if check.Status.Red() {
			fmt.Printf("%s: %s\n", check.Class, check.Name)
		}
	}

	// Output:
	// config: the access token hook is switched on for the local project
	// block: the moderator's role travels in their token and a member's does not
	// block: a moderator can delete another member's post
}
