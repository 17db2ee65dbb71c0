package buyer

import (
	"sync"
	"time"
)

// freshFor is longer than any request waits for its decision.
const freshFor = 2 * time.Minute

// fresh remembers the URLs of checkouts that were just created. Of two concurrent requests
// for one cart, the second is answered with the first one's checkout, which the store did
// not have yet when it was queried.
type fresh struct {
	mu   sync.Mutex
	urls map[string]freshURL
}

type freshURL struct {
	url string
	at  time.Time
}

func (f *fresh) put(handle, url string, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for h, x := range f.urls {
		if now.Sub(x.at) > freshFor {
			delete(f.urls, h)
		}
	}
	if f.urls == nil {
		f.urls = map[string]freshURL{}
	}
	f.urls[handle] = freshURL{url, now}
}

// FreshURL returns the URL under a handle that this process has just generated, "" for any
// other.
func (d *Desk) FreshURL(handle string) string {
	d.fresh.mu.Lock()
	defer d.fresh.mu.Unlock()
	return d.fresh.urls[handle].url
}
