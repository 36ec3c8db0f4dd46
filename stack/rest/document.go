package rest

import (
	"net/http"

	"github.com/supascore/supascore/stack/rest/apierror"
)

// document answers the root.
func (c *call) document() (*response, error) {
	return nil, apierror.New(http.StatusNotFound, "PGRST126", "Root endpoint metadata is disabled")
}
