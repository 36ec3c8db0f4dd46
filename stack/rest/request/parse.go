package request

// Parse gives a request its meaning. Its errors are always of type *apierror.Error: PGRST1xx with the status, message,
// details and hint that PostgREST 14 answers.
func Parse(in Input) (*Request, error) {
	p := parser{in: in}
	return p.request()
}
