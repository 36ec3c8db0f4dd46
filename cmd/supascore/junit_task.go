package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/supascore/supascore"
	score "github.com/supascore/supascore/scorers/rls"
	"github.com/supascore/supascore/tasks"
)

// taskJUnit writes grades as JUnit XML: a suite for each task, a case for each test and
// path. Leaks and blocks are failures.
func taskJUnit(w io.Writer, list []*tasks.Task, grades []*supascore.TaskGrade) error {
	var all junitSuites
	for i, grade := range grades {
		all.Suites = append(all.Suites, taskSuite(list[i], grade))
	}
	return all.write(w)
}

func taskSuite(task *tasks.Task, grade *supascore.TaskGrade) junitSuite {
	took := 0.0
	for _, ms := range grade.MS {
		took += ms
	}
	suite := junitSuite{Name: task.DirName(), Time: fmt.Sprintf("%.3f", took/1000)}
	if grade.Grades != nil {
		for _, test := range grade.Grades.Tests {
			for _, finding := range test.Findings {
				suite.add(junitCase{
					Class: task.DirName(), Name: strings.TrimSpace(fmt.Sprintf("%s %s [%s]", test.ID, test.Name, finding.Path)),
				}, outcomeOf(finding.Verdict), string(finding.Verdict), finding.Note)
			}
		}
	}
	// What no test says is a case of its own, so that no failure is without one.
	if grade.Reason != "" {
		whole := junitCase{Class: task.DirName(), Name: "the candidate as a whole"}
		suite.add(whole, outcomeOf(grade.Verdict), string(grade.Verdict), grade.Reason)
	}
	return suite
}

func outcomeOf(v score.Verdict) outcome {
	switch v {
	case score.Pass:
		return passed
	case score.Leak, score.Block:
		return failed
	case score.Skip:
		return skipped
	default:
		return errored
	}
}
