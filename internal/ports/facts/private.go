package facts

import (
	"fmt"
	"io"
	"log/slog"
)

// withheld replaces in prints and logs what people have said, and what was said about them. JSON
// shows it: that is how vendors are queried.
const withheld = "(withheld)"

func withhold(s fmt.State) { _, _ = io.WriteString(s, withheld) } // fmt.State keeps what is written

// Format withholds it from every verb.
func (Question) Format(s fmt.State, _ rune) { withhold(s) }

// Format withholds it from every verb.
func (RegistryQuestion) Format(s fmt.State, _ rune) { withhold(s) }

// Format withholds it from every verb.
func (BureauQuestion) Format(s fmt.State, _ rune) { withhold(s) }

// Format withholds it from every verb.
func (BureauBusiness) Format(s fmt.State, _ rune) { withhold(s) }

// Format withholds it from every verb.
func (BureauOwner) Format(s fmt.State, _ rune) { withhold(s) }

// Format withholds it from every verb.
func (BankQuestion) Format(s fmt.State, _ rune) { withhold(s) }

// Format withholds it from every verb.
func (Owner) Format(s fmt.State, _ rune) { withhold(s) }

// Format withholds it from every verb.
func (Address) Format(s fmt.State, _ rune) { withhold(s) }

// Format withholds it from every verb.
func (Registration) Format(s fmt.State, _ rune) { withhold(s) }

// Format withholds it from every verb.
func (CreditReport) Format(s fmt.State, _ rune) { withhold(s) }

// Format withholds it from every verb.
func (BankAccount) Format(s fmt.State, _ rune) { withhold(s) }

// LogValue withholds it from a log.
func (Question) LogValue() slog.Value { return slog.StringValue(withheld) }

// LogValue withholds it from a log.
func (RegistryQuestion) LogValue() slog.Value { return slog.StringValue(withheld) }

// LogValue withholds it from a log.
func (BureauQuestion) LogValue() slog.Value { return slog.StringValue(withheld) }

// LogValue withholds it from a log.
func (BankQuestion) LogValue() slog.Value { return slog.StringValue(withheld) }

// LogValue withholds it from a log.
func (Owner) LogValue() slog.Value { return slog.StringValue(withheld) }

// LogValue withholds it from a log.
func (Address) LogValue() slog.Value { return slog.StringValue(withheld) }

// LogValue withholds it from a log.
func (Registration) LogValue() slog.Value { return slog.StringValue(withheld) }

// LogValue withholds it from a log.
func (CreditReport) LogValue() slog.Value { return slog.StringValue(withheld) }

// LogValue withholds it from a log.
func (BankAccount) LogValue() slog.Value { return slog.StringValue(withheld) }

// LogValue withholds it from a log.
func (BureauBusiness) LogValue() slog.Value { return slog.StringValue(withheld) }

// LogValue withholds it from a log.
func (BureauOwner) LogValue() slog.Value { return slog.StringValue(withheld) }

// Format shows where an answer comes from, but not the answer.
func (f Fact[A]) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.LogValue().String()) }

// Format shows whether a port has answered, but not what.
func (r Result[A]) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, r.LogValue().String()) }

// LogValue shows where an answer comes from, but not the answer.
func (f Fact[A]) LogValue() slog.Value {
	return slog.GroupValue(slog.String("source", f.Source), slog.String("raw_hash", f.RawHash), slog.Time("at", f.At))
}

// LogValue shows whether a port has answered, but not what.
func (r Result[A]) LogValue() slog.Value {
	return slog.GroupValue(slog.Bool("answered", r.Fact != nil), slog.String("why", string(r.Why)), slog.String("text", r.Text), slog.Int("tries", r.Tries))
}

// LogValue shows which ports have answered.
func (g Gathered) LogValue() slog.Value {
	return slog.GroupValue(slog.Any("registry", g.Registry), slog.Any("bureau", g.Bureau), slog.Any("bank", g.Bank))
}
