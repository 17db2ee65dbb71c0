package sandbox

import "time"

// SKUs with a special meaning in a sandbox.
const (
	SlowSKU  = "tenor-slow" // the decision on an application in this checkout takes SlowFor
	FaultSKU = "tenor-500"  // the decision page fails the first time it is requested
)

// SlowFor is how long a slow decision takes, by the wall clock: long enough to see the waiting
// page.
const SlowFor = 6 * time.Second
