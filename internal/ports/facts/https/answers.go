package https

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/underwriting"
	"tenor/internal/ports/facts"
)

type (
	registry struct{ vendor }
	bureau   struct{ vendor }
	bank     struct{ vendor }
)

// registryAnswer is a registry's response.
type registryAnswer struct {
	Source       string                     `json:"source"`
	Identity     underwriting.Identity      `json:"identity"`
	Registration underwriting.RegistryMatch `json:"registration"`
	FormedOn     *calendar.Date             `json:"formed_on"`
	State        string                     `json:"state"`
}

// bureauAnswer is a bureau's response. Pointers are required members.
type bureauAnswer struct {
	Source         string `json:"source"`
	OwnerScore     *score `json:"owner_score"`
	BusinessFile   *file  `json:"business_file"`
	OpenBankruptcy *bool  `json:"open_bankruptcy"`
	Report         report `json:"report"`
}

type score struct {
	FICO  int `json:"fico"`
	Scale int `json:"fico_scale"`
}

type file struct {
	Present *bool `json:"present"`
	Clean   bool  `json:"clean"`
}

type report struct {
	Bureau      string         `json:"bureau"`
	Contact     string         `json:"contact"`
	ReportedOn  *calendar.Date `json:"reported_on"`
	LowestScore int            `json:"lowest_score"`
	BestScore   int            `json:"best_score"`
	KeyFactors  []string       `json:"key_factors"`
}

// bankAnswer is the response of a bank data vendor.
type bankAnswer struct {
	Source         string   `json:"source"`
	Found          *bool    `json:"found"`
	AverageBalance *balance `json:"average_balance"`
	ReturnedItems  *int     `json:"returned_items_90d"`
}

// balance is an amount that may be negative, with at most two decimals.
type balance money.Amount

// UnmarshalJSON reads a JSON number by the rule of money.Parse, with an optional minus sign.
func (b *balance) UnmarshalJSON(text []byte) error {
	digits, negative := strings.CutPrefix(string(text), "-")
	a, err := money.Parse(digits)
	if negative {
		a = -a
	}
	*b = balance(a)
	return err
}

var errMember = errors.New("a member is missing")

// maxSource is the maximum length of a vendor's name, in runes.
const maxSource = 100

// decode decodes an answer strictly: no unknown or duplicate members, and nothing after it.
// source is checked if the answer has one.
func decode(text []byte, into any, source *string) error {
	if err := json.Unmarshal(text, into, json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	if *source == "" || utf8.RuneCountInString(*source) > maxSource {
		return errMember
	}
	return nil
}

func date(d *calendar.Date) calendar.Date {
	if d == nil {
		return calendar.None
	}
	return *d
}

// LookUp implements facts.BusinessRegistry.
func (v registry) LookUp(ctx context.Context, a facts.Ask, q facts.RegistryQuestion) (facts.Fact[facts.Registration], error) {
	var x registryAnswer
	hash, err := v.ask(ctx, a, q, func(text []byte) error { return decode(text, &x, &x.Source) })
	if err != nil {
		return facts.Fact[facts.Registration]{}, err
	}
	r := facts.Registration{Identity: x.Identity, Registration: x.Registration, FormedOn: date(x.FormedOn), State: x.State}
	return facts.Fact[facts.Registration]{Source: x.Source, RawHash: hash, Answer: r}, nil
}

// Report implements facts.CreditBureau.
func (v bureau) Report(ctx context.Context, a facts.Ask, q facts.BureauQuestion) (facts.Fact[facts.CreditReport], error) {
	var x bureauAnswer
	hash, err := v.ask(ctx, a, q, func(text []byte) error {
		if err := decode(text, &x, &x.Source); err != nil {
			return err
		}
		if x.BusinessFile == nil || x.BusinessFile.Present == nil || x.OpenBankruptcy == nil {
			return errMember
		}
		return nil
	})
	if err != nil {
		return facts.Fact[facts.CreditReport]{}, err
	}
	r := facts.CreditReport{
		File: underwriting.BusinessFile{Present: *x.BusinessFile.Present, Clean: x.BusinessFile.Clean}, OpenBankruptcy: *x.OpenBankruptcy,
		Bureau: x.Report.Bureau, Contact: x.Report.Contact, ReportedOn: date(x.Report.ReportedOn),
		LowestScore: x.Report.LowestScore, BestScore: x.Report.BestScore, KeyFactors: x.Report.KeyFactors,
	}
	if x.OwnerScore != nil {
		r.Score = underwriting.Score{FICO: x.OwnerScore.FICO, Scale: x.OwnerScore.Scale}
	}
	return facts.Fact[facts.CreditReport]{Source: x.Source, RawHash: hash, Answer: r}, nil
}

// Account implements facts.BankData.
func (v bank) Account(ctx context.Context, a facts.Ask, q facts.BankQuestion) (facts.Fact[facts.BankAccount], error) {
	var x bankAnswer
	hash, err := v.ask(ctx, a, q, func(text []byte) error {
		if err := decode(text, &x, &x.Source); err != nil {
			return err
		}
		if x.Found == nil || *x.Found && (x.AverageBalance == nil || x.ReturnedItems == nil) {
			return errMember
		}
		return nil
	})
	if err != nil {
		return facts.Fact[facts.BankAccount]{}, err
	}
	b := facts.BankAccount{Found: *x.Found}
	if b.Found {
		b.AverageBalance, b.ReturnedItems = money.Amount(*x.AverageBalance), *x.ReturnedItems
	}
	return facts.Fact[facts.BankAccount]{Source: x.Source, RawHash: hash, Answer: b}, nil
}
