// Package installtest plays upstream for tests of installations: a server with releases
// and their listings that can be slow, broken or wrong in every way that a test needs,
// and archives of every kind. It knows nothing of what is installed from it.
package installtest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// Server serves releases below its URL at GitHub's paths, and their listings at those of
// GitHub's API.
type Server struct {
	*httptest.Server

	mu       sync.Mutex
	files    map[string]*File
	requests []*Request
	// listing is a status that answers every listing; 0 for the listings themselves.
	listing int
}

// File is one file of a release. The zero values of its faults are no faults.
type File struct {
	// Content is the file, without anything around it.
	Content []byte
	// ETag is sent with it, in quotes; empty for none.
	ETag string
	// Digest is what the listing says: "right", "wrong", or empty for nothing.
	Digest string
	// WithoutRange answers every request with the whole file.
	WithoutRange bool
	// Cuts are the numbers of bytes after which the next answers break off, one each.
	Cuts []int
	// Stalls keeps the next answers open after a cut instead of breaking them off.
	Stalls bool
	// Status answers instead of the file, with Header.
	Status int
	Header http.Header
}

// Request is what somebody asked for.
type Request struct {
	// Path and Range are the path and the header of that name; Status answered.
	Path, Range string
	Status      int
	// Sent is the number of bytes of the body.
	Sent int
}

// NewServer starts a server without releases. The caller closes it.
func NewServer() *Server {
	s := &Server{files: map[string]*File{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Put adds a file, or replaces it, at a path such as
// /owner/name/releases/download/v1.0/file.tar.gz, or at a whole URL of this server.
func (s *Server) Put(path string, f File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[strings.TrimPrefix(path, s.URL)] = &f
}

// RefuseListings answers every request for a listing with a status.
func (s *Server) RefuseListings(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listing = status
}

// Requests are the requests for files so far, without those for listings. One that is
// still being answered has no status yet.
func (s *Server) Requests() []Request {
	files, _ := s.asked()
	return files
}

// Listings is how often a listing was asked for.
func (s *Server) Listings() int {
	_, listings := s.asked()
	return listings
}

func (s *Server) asked() (files []Request, listings int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if strings.HasPrefix(r.Path, "/repos/") {
			listings++
		} else {
			files = append(files, *r)
		}
	}
	return files, listings
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	request := &Request{Path: r.URL.Path, Range: r.Header.Get("Range")}
	s.mu.Lock()
	s.requests = append(s.requests, request)
	s.mu.Unlock()
	out := &counter{ResponseWriter: w, cut: -1, gone: r.Context().Done(), note: func(status, sent int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		request.Status, request.Sent = status, request.Sent+sent
	}}
	if strings.HasPrefix(r.URL.Path, "/repos/") {
		s.list(out, r)
		return
	}
	f, ok := s.next(r.URL.Path, out)
	if !ok {
		http.NotFound(out, r)
		return
	}
	if f.Status != 0 {
		for name, values := range f.Header {
			out.Header()[name] = values
		}
		out.WriteHeader(f.Status)
		return
	}
	if f.ETag != "" {
		out.Header().Set("ETag", f.ETag)
	}
	if f.WithoutRange {
		r.Header.Del("Range")
		out.Header().Set("Content-Type", "application/octet-stream")
		_, _ = out.Write(f.Content)
		return
	}
	http.ServeContent(out, r, "", time.Time{}, strings.NewReader(string(f.Content)))
}

// next is a copy of a file as the next request sees it.
func (s *Server) next(path string, out *counter) (File, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files[path]
	if !ok {
		return File{}, false
	}
	if len(f.Cuts) > 0 {
		out.cut, f.Cuts = f.Cuts[0], f.Cuts[1:]
		out.stalls = f.Stalls
	}
	return *f, true
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	assets, status := s.listed(r.URL.Path)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"assets": assets})
}

// asset is a file in a listing.
type asset struct {
	Name   string  `json:"name"`
	Digest *string `json:"digest"`
}

// listed is what the listing at a path says.
func (s *Server) listed(path string) ([]asset, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listing != 0 {
		return nil, s.listing
	}
	var assets []asset
	folder := strings.Replace(strings.TrimPrefix(path, "/repos"), "/releases/tags/", "/releases/download/", 1) + "/"
	for path, f := range s.files {
		name, ok := strings.CutPrefix(path, folder)
		if !ok {
			continue
		}
		a := asset{Name: name}
		if f.Digest != "" {
			sum := sha256.Sum256(f.Content)
			if f.Digest == "wrong" {
				sum = sha256.Sum256([]byte(name))
			}
			digest := "sha256:" + hex.EncodeToString(sum[:])
			a.Digest = &digest
		}
		assets = append(assets, a)
	}
	if len(assets) == 0 {
		return nil, http.StatusNotFound
	}
	return assets, http.StatusOK
}

// counter notes what is sent, before it is sent, and breaks off when it is told to.
type counter struct {
	http.ResponseWriter
	note         func(status, sent int)
	status, sent int
	// cut is the number of bytes after which the answer ends; -1 for never.
	cut    int
	stalls bool
	// gone is closed when nobody reads any more.
	gone <-chan struct{}
}

func (c *counter) WriteHeader(status int) {
	c.status = status
	c.note(status, 0)
	c.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController flush what there is.
func (c *counter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *counter) Write(p []byte) (int, error) {
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	broken := c.cut >= 0 && c.sent+len(p) > c.cut
	if broken {
		p = p[:c.cut-c.sent]
	}
	c.note(c.status, len(p))
	n, err := c.ResponseWriter.Write(p)
	c.sent += n
	if !broken || err != nil {
		return n, err
	}
	_ = http.NewResponseController(c.ResponseWriter).Flush()
	if c.stalls {
		<-c.gone
	}
	panic(http.ErrAbortHandler)
}
