package openapi

import (
	"fmt"
	"net/url"
)

// place is where clients find the API.
type place struct{ scheme, host, path string }

// place takes the address apart. Clients read the port from host, so the default one is written too.
func (o Options) place() (place, error) {
	if o.ProxyURI == "" {
		return place{"http", o.Address, "/"}, nil
	}
	u, err := url.Parse(o.ProxyURI)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return place{}, fmt.Errorf("openapi-server-proxy-uri %q is not an http or https URL", o.ProxyURI)
	}
	p := place{u.Scheme, u.Host, orElse(u.Path, "/")}
	if u.Port() == "" {
		p.host += map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	}
	return p, nil
}
