package years

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"tenor/internal/edge/webhook"
	"tenor/internal/proof/sim"
)

// receiver is where a shop receives its events: one endpoint's host.
type receiver struct {
	host    string
	secrets []string
	mood    mood
	until   time.Time          // when the mood ends
	since   time.Time          // when the mood began
	ill     int                // messages that arrived since then
	got     map[string]*parcel // by webhook-id
}

// mood is how a receiver answers.
type mood int

const (
	well    mood = iota
	failing      // 500
	away         // nobody listens
	hanging      // accepts the connection, and says nothing
	slow         // accepts after seconds
	busy         // 429, with a time
	moved        // 301
	picky        // refuses some messages, and accepts the others
	mute         // accepts, and the answer is lost
	gone         // 410
	moods
)

// parcel is one event as it arrived at one receiver.
type parcel struct {
	tries    []int // positions of its messages among all that arrived anywhere
	times    []time.Time
	accepted []int // those that were accepted
	body     [32]byte
}

// errAway is the error a sender gets when a receiver is down.
var errAway = errors.New("sim: nobody listens")

// receiver returns a new one, with its first secret.
func (p *post) receiver() *receiver {
	r := &receiver{host: fmt.Sprintf("shop-%03d.example", len(p.receivers)+1), got: map[string]*parcel{}, until: p.y.Clock.Now().Add(72 * time.Hour)}
	p.receivers[r.host] = r
	r.secret()
	return r
}

// secret gives a receiver another secret.
func (r *receiver) secret() string {
	sum := sha256.Sum256(fmt.Append(nil, r.host, len(r.secrets)))
	r.secrets = append(r.secrets, webhook.SecretPrefix+base64.StdEncoding.EncodeToString(sum[:]))
	return r.secrets[len(r.secrets)-1]
}

// turn changes the moods of receivers.
func (p *post) turn() {
	now, s := p.now(), p.y.Source
	for _, host := range sim.SortedKeys(p.receivers) {
		r := p.receivers[host]
		switch {
		case p.y.healed:
			r.mood = well
		case now.Before(r.until):
		case r.mood != well:
			p.y.reach(r.ill > 0 && now.Sub(r.since) > 72*time.Hour, sim.ReceiverBackAfterDays)
			r.mood, r.until = well, now.Add(24*time.Hour)
		case p.y.struck(p.y.Mix.Ill, "receiver ill"):
			r.mood, r.since, r.ill = 1+mood(s.Intn(int(moods)-1)), now, 0
			r.until = now.Add(time.Duration(1+s.Intn(20)) * time.Hour)
			if sim.Chance(s, 40) {
				r.until = now.Add(time.Duration(75+s.Intn(60)) * time.Hour)
			}
		default:
			r.until = now.Add(24 * time.Hour)
		}
	}
}

// reply is what a receiver answers, and after how long. Without a status there is no answer,
// because of err or because nothing is said.
type reply struct {
	status  int
	after   time.Duration
	header  http.Header
	err     error
	instant time.Duration // a delay that only this answer has
}

// RoundTrip implements http.RoundTripper: the network between a sender and receivers.
func (s *sender) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	body, err := io.ReadAll(r.Body)
	if err = errors.Join(err, s.wake(ctx, r.URL.Host, r.Header.Get(webhook.HeaderID))); err != nil {
		return nil, err
	}
	a := s.p.arrive(s, r, body)
	select {
	case <-time.After(a.after):
	case <-ctx.Done():
		time.Sleep(a.instant) // several may have the same answer time
		return nil, ctx.Err()
	}
	if err := s.wake(ctx, a.instant); err != nil || a.err != nil {
		return nil, errors.Join(err, a.err)
	}
	return &http.Response{StatusCode: a.status, Header: a.header, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

// arrive handles a message at a receiver: it answers by its mood.
func (p *post) arrive(s *sender, m *http.Request, body []byte) reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, id := p.receivers[m.URL.Host], m.Header.Get(webhook.HeaderID)
	if r == nil {
		p.y.never("a message for %s, which nobody has registered", m.URL)
		return reply{err: errAway}
	}
	x := r.got[id]
	if x == nil {
		x = &parcel{body: sha256.Sum256(body)}
		r.got[id] = x
	}
	if x.body != sha256.Sum256(body) {
		p.y.never("EV4: %s has come to %s with other bytes", id, r.host)
	}
	p.arrivals++
	r.ill++
	x.tries, x.times = append(x.tries, p.arrivals), append(x.times, p.now())
	draw := p.draw(r.host, id, x.times[len(x.times)-1].UnixNano()) // twins of one instant get the same answer
	a := p.answer(r, draw, sim.Chance(p.draw(r.host, id), 30))
	a.after += time.Duration(1 + draw.Intn(int(time.Second)))
	a.instant = s.instant(r.host, id, a.after)
	if err := r.verify(m.Header, body, p.now()); err != nil && a.status != 0 {
		if !errors.Is(err, webhook.ErrTimestamp) || s.skew.Load() == 0 {
			p.y.never("EV5: %s of %s: %w", id, s.n.name, err)
		}
		return reply{status: http.StatusUnauthorized, after: a.after, instant: a.instant}
	}
	if a.status >= 200 && a.status < 300 {
		p.y.reach(len(x.accepted) > 0, sim.AcceptedTwice)
		x.accepted = append(x.accepted, p.arrivals)
		if r.mood == mute {
			a.status, a.err = 0, errLost
		}
	}
	return a
}

// verify is what a receiver checks before it believes a message, with any of its secrets.
func (r *receiver) verify(header http.Header, body []byte, now time.Time) (err error) {
	for _, secret := range slices.Backward(r.secrets) {
		if err = webhook.Verify(secret, header, body, now); !errors.Is(err, webhook.ErrSignature) {
			break
		}
	}
	return err
}

// answer returns a receiver's answer by its mood, also to a message that it may dislike.
func (p *post) answer(r *receiver, draw *sim.Rand, disliked bool) reply {
	switch r.mood {
	case failing:
		return reply{status: http.StatusInternalServerError}
	case away:
		return reply{err: errAway}
	case hanging:
		p.y.Situations.Reached(sim.ReceiverHangs)
		return reply{after: 24 * time.Hour, err: context.DeadlineExceeded}
	case slow:
		p.y.Situations.Reached(sim.ReceiverSlow)
		return reply{status: http.StatusOK, after: time.Duration(6+draw.Intn(10)) * time.Second}
	case busy:
		return reply{status: http.StatusTooManyRequests, header: http.Header{"Retry-After": {fmt.Sprint(draw.Intn(10_000))}}}
	case moved:
		return reply{status: http.StatusMovedPermanently, header: http.Header{"Location": {"https://elsewhere.example/"}}}
	case picky:
		if disliked {
			return reply{status: http.StatusUnprocessableEntity}
		}
	case gone:
		return reply{status: http.StatusGone}
	}
	return reply{status: http.StatusNoContent}
}
