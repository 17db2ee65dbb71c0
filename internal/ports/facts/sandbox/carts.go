package sandbox

import "time"

// SKUs of a cart that mean something in a sandbox.
const (
	SlowSKU  = "tenor-slow" // the decision on an application in this checkout takes SlowFor
	FaultSKU = "tenor-500"  // the page of the decision has a fault, the first time that it is asked for
)

// SlowFor is how long a slow decision takes, by the wall clock: long enough to see the page
// that waits for it.
const SlowFor = 6 * time.Second
