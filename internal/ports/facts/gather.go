package facts

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/underwriting"
)

// Timeout is how long a port may take for an answer, per try.
const Timeout = 10 * time.Second

// tries is how often a port is queried: once, and once more if it is silent or broken.
const tries = 2

// Failure is why a port has no answer, in words that name nobody. An adapter returns it to tell
// the operator more. The text of any other error is discarded, because its content is unknown.
type Failure struct {
	Why  underwriting.Absence // Silent or Broken
	Text string
}

func (f *Failure) Error() string { return "facts: " + f.Text }

// Waits are the times used by Gather. The zero value is for production.
type Waits struct {
	Timeout time.Duration                        // 0: the constant Timeout
	Now     func() time.Time                     // nil: time.Now; dates the answers
	After   func(time.Duration) <-chan time.Time // nil: time.After
}

// Result is the outcome of querying a port.
type Result[A any] struct {
	Fact  *Fact[A]             // nil if there is no answer
	Why   underwriting.Absence // "" if there is one
	Text  string               // of a Failure
	Tries int
}

// Gathered is what all ports said about an application.
type Gathered struct {
	Registry Result[Registration]
	Bureau   Result[CreditReport]
	Bank     Result[BankAccount]
}

// Gather queries all ports concurrently and waits for each at most twice the timeout. A port
// without an answer is not an error: its Result says why. An error means that ctx ended before
// all had answered; the questions can be asked again under the same keys.
func Gather(ctx context.Context, p Ports, q Question, w Waits) (Gathered, error) {
	if w.Timeout == 0 {
		w.Timeout = Timeout
	}
	if w.Now == nil {
		w.Now = time.Now
	}
	if w.After == nil {
		w.After = time.After
	}
	var g Gathered
	var all sync.WaitGroup
	all.Go(func() {
		g.Registry = ask(ctx, w, p.Registry != nil, q.Application, func(ctx context.Context, a Ask) (Fact[Registration], error) {
			return p.Registry.LookUp(ctx, a, q.registry())
		})
	})
	all.Go(func() {
		g.Bureau = ask(ctx, w, p.Bureau != nil, q.Application, func(ctx context.Context, a Ask) (Fact[CreditReport], error) {
			return p.Bureau.Report(ctx, a, q.bureau())
		})
	})
	all.Go(func() {
		g.Bank = ask(ctx, w, p.Bank != nil, q.Application, func(ctx context.Context, a Ask) (Fact[BankAccount], error) {
			return p.Bank.Account(ctx, a, q.bank())
		})
	})
	all.Wait()
	return g, ctx.Err()
}

// ask queries one port, and retries once if it is silent or broken.
func ask[A answer](ctx context.Context, w Waits, configured bool, application string, call func(context.Context, Ask) (Fact[A], error)) Result[A] {
	if !configured {
		return Result[A]{Why: underwriting.NotConfigured}
	}
	var r Result[A]
	for try := 1; try <= tries && ctx.Err() == nil; try++ {
		f, err := once(ctx, w, Ask{application, try}, call)
		if err == nil {
			f.At = w.Now()
			return Result[A]{Fact: &f, Tries: try}
		}
		r = Result[A]{Why: underwriting.Broken, Tries: try}
		var known *Failure
		switch {
		case errors.As(err, &known):
			r.Why, r.Text = known.Why, known.Text
		case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
			r.Why = underwriting.Silent
		}
	}
	return r
}

// once waits for one answer. A port that ignores its context is abandoned: its answer is dropped.
// One that panics counts as broken, and does no other harm.
func once[A answer](ctx context.Context, w Waits, a Ask, call func(context.Context, Ask) (Fact[A], error)) (Fact[A], error) {
	type outcome struct {
		fact Fact[A]
		err  error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if recover() != nil {
				done <- outcome{err: &Failure{underwriting.Broken, "The adapter has failed."}}
			}
		}()
		f, err := call(ctx, a)
		if err == nil {
			if problem := f.Answer.check(); problem != nil {
				err = &Failure{underwriting.Broken, "The answer is invalid: " + problem.Error() + "."}
			}
		}
		done <- outcome{f, err}
	}()
	select {
	case o := <-done:
		return o.fact, o.err
	case <-w.After(w.Timeout):
		return Fact[A]{}, &Failure{underwriting.Silent, "No answer came in time."}
	case <-ctx.Done():
		return Fact[A]{}, ctx.Err()
	}
}

// Into returns the inputs of a decision with the ports' answers (F27). A bank balance given by
// the applicant is kept if no vendor has one. zone dates the bureau's answer.
func (g Gathered) Into(in underwriting.Inputs, zone calendar.Zone) underwriting.Inputs {
	in.Missed = nil
	in.Identity, in.Registration, in.RegistryFormedOn, in.RegistryState = "", "", calendar.None, ""
	if f := g.Registry.Fact; f != nil {
		r := f.Answer
		in.Identity, in.Registration, in.RegistryFormedOn, in.RegistryState = r.Identity, r.Registration, r.FormedOn, r.State
	}
	in.OwnerScore, in.BusinessFile, in.OpenBankruptcy, in.BureauOn = underwriting.Score{}, nil, false, calendar.None
	if f := g.Bureau.Fact; f != nil {
		file := f.Answer.File
		in.OwnerScore, in.BusinessFile, in.OpenBankruptcy, in.BureauOn = f.Answer.Score, &file, f.Answer.OpenBankruptcy, zone.Date(f.At)
	}
	if f := g.Bank.Fact; f != nil && f.Answer.Found {
		in.Bank = &underwriting.Bank{AverageBalance: f.Answer.AverageBalance, ReturnedItems: f.Answer.ReturnedItems}
	}
	missed(&in, g.Registry, underwriting.SourceRegistry)
	missed(&in, g.Bureau, underwriting.SourceOwnerScore, underwriting.SourceBusinessFile)
	if in.Bank == nil {
		missed(&in, g.Bank, underwriting.SourceBankData)
	}
	return in
}

// missed records the sources of a port without an answer, and why.
func missed[A answer](in *underwriting.Inputs, r Result[A], sources ...underwriting.Source) {
	why, found := r.Why, []underwriting.Source(nil)
	if r.Fact != nil {
		why, found = underwriting.NothingFound, r.Fact.Answer.found()
	}
	for _, s := range sources {
		if !slices.Contains(found, s) {
			in.Missed = append(in.Missed, underwriting.Missed{Source: s, Why: why})
		}
	}
}
