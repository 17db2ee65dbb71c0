package rest

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Default rate limit of a client.
const (
	defaultRatePerMinute = 600
	defaultBurst         = 100
)

// limiters has one token bucket per client. Only authenticated clients get one, so there
// are never more buckets than clients.
type limiters struct {
	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

// take takes one request from the bucket at the wall-clock time now. It writes the
// RateLimit fields (IETF draft ratelimit-headers) and returns a 429 if none is left. A
// client's new settings apply from its next request on.
func (l *limiters) take(p Principal, now time.Time, h http.Header) *Problem {
	perMinute, burst := p.RatePerMinute, p.Burst
	if perMinute <= 0 {
		perMinute = defaultRatePerMinute
	}
	if burst <= 0 {
		burst = defaultBurst
	}
	limit := rate.Limit(float64(perMinute) / 60)
	b := l.bucket(p.ClientID, limit, burst, now)
	ok := b.AllowN(now, 1)
	left := max(b.TokensAt(now), 0)

	seconds := func(tokens float64) int { return int(math.Ceil(tokens / float64(limit))) }
	h.Set("Ratelimit-Policy", `"default";q=`+strconv.Itoa(perMinute)+`;w=60`)
	h.Set("Ratelimit", `"default";r=`+strconv.Itoa(int(left))+`;t=`+strconv.Itoa(seconds(float64(burst)-left)))
	if ok {
		return nil
	}
	wait := time.Duration(max(seconds(1-left), 1)) * time.Second
	return &Problem{Code: CodeRateLimited, RetryAfter: wait}
}

func (l *limiters) bucket(client string, limit rate.Limit, burst int, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[client]
	if b == nil {
		b = rate.NewLimiter(limit, burst)
		l.buckets[client] = b
	}
	if b.Limit() != limit {
		b.SetLimitAt(now, limit)
	}
	if b.Burst() != burst {
		b.SetBurstAt(now, burst)
	}
	return b
}
