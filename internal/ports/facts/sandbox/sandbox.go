// Package sandbox answers for every port of package facts, depending on the tax number of the
// business: magic EINs have predefined outcomes; for any other, the bureau reports a score of
// 720 and a clean file.
//
//	Outcomes   the table of magic EINs, for listing it
//	Ports      the adapter
//	Outcome    what happens to an application: at once, and later
//
// The facts lead to the outcome if the scorecard can reach it. If it cannot, or if the
// application says something else, the outcome is an override: the caller records it with
// "sandbox" as the decider. Nothing here waits: silence is an error that says so.
package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/underwriting"
	"tenor/internal/ports/facts"
)

// Source is the adapter's name, and the decider of an override.
const Source = "sandbox"

// Adapter answers for all ports. The zero value is ready to use.
type Adapter struct{}

// Ports returns the ports of a sandbox. A live deployment refuses them (facts.Ports.Live).
func Ports() facts.Ports {
	return facts.Ports{Registry: Adapter{}, Bureau: Adapter{}, Bank: Adapter{}, Sandbox: true}
}

// script is what the ports say about a business.
type script struct {
	fico       int  // 0: 720
	thin       bool // the bureau has no file on the business
	account    bool // the bank knows an account, in good standing
	unproved   bool // the registry knows the tax number under another name
	state      string
	bankrupt   bool
	bureau     underwriting.Absence // Silent or Broken
	silentOnce bool                 // the bureau, at the first try
}

// LookUp implements facts.BusinessRegistry.
func (Adapter) LookUp(ctx context.Context, _ facts.Ask, q facts.RegistryQuestion) (facts.Fact[facts.Registration], error) {
	s := scriptOf(q.EIN)
	r := facts.Registration{Identity: underwriting.IdentityProved, Registration: underwriting.RegistrationFound, FormedOn: calendar.None, State: s.state}
	if s.unproved {
		r.Identity = underwriting.IdentityUnproved
	}
	return fact(r, facts.Registry, q.EIN), ctx.Err()
}

// Report implements facts.CreditBureau.
func (Adapter) Report(ctx context.Context, a facts.Ask, q facts.BureauQuestion) (facts.Fact[facts.CreditReport], error) {
	s := scriptOf(q.Business.EIN)
	switch {
	case s.bureau == underwriting.Silent, s.silentOnce && a.Try == 1:
		return facts.Fact[facts.CreditReport]{}, &facts.Failure{Why: underwriting.Silent, Text: "The sandbox's bureau is silent."}
	case s.bureau == underwriting.Broken:
		return facts.Fact[facts.CreditReport]{}, &facts.Failure{Why: underwriting.Broken, Text: "The sandbox's bureau is broken."}
	}
	r := facts.CreditReport{
		Score: underwriting.Score{FICO: s.fico}, File: underwriting.BusinessFile{Present: !s.thin, Clean: !s.thin}, OpenBankruptcy: s.bankrupt,
		Bureau: "Sandbox Bureau", Contact: "1 Sandbox Street, Dayton, OH 45401, +1 800 555 0199", ReportedOn: calendar.None, LowestScore: 300, BestScore: 850,
		KeyFactors: []string{"Made up by the sandbox"},
	}
	return fact(r, facts.Bureau, q.Business.EIN), ctx.Err()
}

// Account implements facts.BankData.
func (Adapter) Account(ctx context.Context, _ facts.Ask, q facts.BankQuestion) (facts.Fact[facts.BankAccount], error) {
	b := facts.BankAccount{}
	if scriptOf(q.EIN).account {
		b = facts.BankAccount{Found: true, AverageBalance: money.MustParse("25000")}
	}
	return fact(b, facts.Bank, q.EIN), ctx.Err()
}

// fact adds a hash in place of that of an answer's bytes.
func fact[A any](answer A, port facts.Port, ein string) facts.Fact[A] {
	sum := sha256.Sum256([]byte(Source + "\n" + string(port) + "\n" + digits(ein)))
	return facts.Fact[A]{Source: Source, RawHash: hex.EncodeToString(sum[:]), Answer: answer}
}

func scriptOf(ein string) script {
	s := script{}
	if o, ok := Find(ein); ok {
		s = o.script
	}
	if s.fico == 0 {
		s.fico = 720
	}
	return s
}

// digits returns the digits of an EIN, written with or without a dash.
func digits(ein string) string { return strings.ReplaceAll(strings.ReplaceAll(ein, "-", ""), " ", "") }

// Find returns the outcome of a magic EIN, written with or without its dash.
func Find(ein string) (Outcome, bool) {
	d := digits(ein)
	if len(d) != 9 || !strings.HasPrefix(d, "00000") {
		return Outcome{}, false
	}
	for _, o := range Outcomes() {
		if digits(o.EIN) == d {
			return o, true
		}
	}
	return Outcome{}, false
}

// magic writes the EIN of a number: 14 is 00-0000014.
func magic(n int) string {
	text := strconv.Itoa(n)
	return "00-" + strings.Repeat("0", 7-len(text)) + text
}
