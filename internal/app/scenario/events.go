package scenario

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
)

// listens reports whether the scenario lists events.
func (r *run) listens() bool {
	return slices.ContainsFunc(r.s.Steps, func(x Step) bool { return x.Events != nil })
}

// waitsForEvents reports whether a step advances the clock until an event arrives.
func (r *run) waitsForEvents() bool {
	return slices.ContainsFunc(r.s.Steps, func(x Step) bool { return x.Until != "" })
}

// news returns the type and object of each event of the merchant since the last call.
func (r *run) news(ctx context.Context) ([][]string, error) {
	path := "/v1/events?limit=100"
	if r.told != "" {
		path += "&cursor=" + r.told
	}
	page, err := ask[json.RawMessage](ctx, r.script, call{as: asShop, method: "GET", path: path})
	if err != nil {
		return nil, err
	}
	r.told = textOf(page, "next_cursor")
	return table(page, "data", "type", "object.id"), nil
}

// events compares the new events with those of the step, and waits until the receiver has
// accepted all of them.
func (r *run) events(ctx context.Context, x *Step) error {
	got, err := r.news(ctx)
	if err != nil {
		return err
	}
	var want [][]string
	for _, e := range x.Events {
		object, err := r.fill(e[1], false)
		if err != nil {
			return err
		}
		want = append(want, []string{e[0], object})
	}
	r.rows("step "+strconv.Itoa(r.step)+": event", want, got)
	if len(r.result.Differences) > 0 {
		return errBroken
	}
	r.tell(Line{Say: x.Say})
	for _, e := range want {
		at := Await{Type: e[0], Object: e[1]}
		r.heard[at]++
		if err := r.await(ctx, &Step{Await: &Await{Type: at.Type, Object: at.Object, Times: r.heard[at]}}); err != nil {
			return err
		}
	}
	return nil
}

// silence checks that nothing has happened since the last check, if the scenario checks events at
// all.
func (r *run) silence(ctx context.Context, _ Statement) error {
	if !r.listens() {
		return nil
	}
	got, err := r.news(ctx)
	if err == nil {
		r.rows("event after the last step", nil, got)
	}
	return err
}
