package request

// MediaKind is a media type that has a meaning of its own.
type MediaKind int

// The media kinds. MediaOther is any other type, named by MediaType.Name.
const (
	MediaOther MediaKind = iota
	MediaAny
	MediaJSON
	MediaObject   // application/vnd.pgrst.object+json
	MediaArray    // application/vnd.pgrst.array+json with nulls=stripped
	MediaGeoJSON  // application/geo+json
	MediaCSV      // text/csv
	MediaText     // text/plain
	MediaXML      // text/xml
	MediaOpenAPI  // application/openapi+json
	MediaForm     // application/x-www-form-urlencoded
	MediaBinary   // application/octet-stream
	MediaPlanJSON // application/vnd.pgrst.plan+json
	MediaPlanText // application/vnd.pgrst.plan+text
)

// MediaType is a media type of Accept or Content-Type.
type MediaType struct {
	Kind MediaKind
	// Name is type/subtype in lower case, without parameters; for MediaOther the whole text as it was sent.
	Name string
	// NullsStripped is nulls=stripped of MediaObject and MediaArray.
	NullsStripped bool
	// PlanFor is the type whose plan is asked for by MediaPlanJSON and MediaPlanText.
	PlanFor *MediaType
	// PlanOptions are the plan's options: analyze, verbose, settings, buffers, wal, in this order.
	PlanOptions []string
}
