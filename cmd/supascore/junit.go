package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/supascore/supascore"
	score "github.com/supascore/supascore/scorers/rls"
	"github.com/supascore/supascore/tasks"
)

// The elements of a JUnit file, as CI systems read it: a suite for each task, a case for
// each test and path.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitMessage `xml:"failure"`
		Error   *junitMessage `xml:"error"`
		Skipped *junitMessage `xml:"skipped"`
	}
	junitMessage struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
	}
)

// writeJUnit writes grades as JUnit XML. Leaks and blocks are failures.
func writeJUnit(w io.Writer, list []*tasks.Task, grades []*supascore.TaskGrade) error {
	var all junitSuites
	for i, grade := range grades {
		all.Suites = append(all.Suites, junitOf(list[i], grade))
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitOf(task *tasks.Task, grade *supascore.TaskGrade) junitSuite {
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
				}, finding.Verdict, finding.Note)
			}
		}
	}
	// What no test says is a case of its own, so that no failure is without one.
	if grade.Reason != "" {
		suite.add(junitCase{Class: task.DirName(), Name: "the candidate as a whole"}, grade.Verdict, grade.Reason)
	}
	return suite
}

func (s *junitSuite) add(c junitCase, v score.Verdict, note string) {
	message := &junitMessage{Type: string(v), Message: note}
	s.Tests++
	switch v {
	case score.Pass:
	case score.Leak, score.Block:
		s.Failures++
		c.Failure = message
	case score.Skip:
		s.Skipped++
		c.Skipped = message
	default:
		s.Errors++
		c.Error = message
	}
	s.Cases = append(s.Cases, c)
}
