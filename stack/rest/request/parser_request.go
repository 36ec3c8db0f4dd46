package request

type parser struct{ in Input }

func (p *parser) request() (*Request, error) { return &Request{Method: p.in.Method}, nil }
