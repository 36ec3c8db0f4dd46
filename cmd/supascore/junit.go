package main

import (
	"encoding/xml"
	"io"
)

// The elements of a JUnit file, as CI systems read it: a suite for each thing
// that is scored, a case for each of its checks.
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

// write writes the suites as XML.
func (s junitSuites) write(w io.Writer) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// outcome is what became of a case, as JUnit knows it.
type outcome int

const (
	passed outcome = iota
	failed
	errored
	skipped
)

// add appends a case and counts it. kind and note say what became of one that did not
// pass.
func (s *junitSuite) add(c junitCase, o outcome, kind, note string) {
	message := &junitMessage{Type: kind, Message: note}
	s.Tests++
	switch o {
	case failed:
		s.Failures++
		c.Failure = message
	case skipped:
		s.Skipped++
		c.Skipped = message
	case errored:
		s.Errors++
		c.Error = message
	case passed:
	}
	s.Cases = append(s.Cases, c)
}
