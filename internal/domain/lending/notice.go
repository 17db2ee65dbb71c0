package lending

import (
	"slices"
	"strings"
	"unicode/utf8"

	"tenor/internal/domain/credit"
)

// Limits on the reasons that a notice may give (F28).
const (
	maxReasons   = 4
	reasonLength = 200 // runes each
)

// SpecificReason reports whether a code or text says why something was done and not only who
// did it, which is no reason for a notice (F28).
func SpecificReason(reason string) bool {
	return reason != "" && reason != "closed_by_operator" && reason != "manual_hold"
}

// RefuseReasons checks the reasons for an adverse action: one to four, all different, each a
// code or text with a specific meaning (F28).
func RefuseReasons(reasons []string) *credit.Rejection {
	if len(reasons) == 0 || len(reasons) > maxReasons {
		return credit.ReasonsRequired.Because("Give one to four reasons: an adverse action notice must say why the action was taken.")
	}
	for i, r := range reasons {
		if r != strings.TrimSpace(r) || !SpecificReason(r) || utf8.RuneCountInString(r) > reasonLength {
			return credit.ReasonsRequired.Because("Each reason must be specific: a code, or a text of up to 200 characters that says more than who acted.")
		}
		if slices.Contains(reasons[:i], r) {
			return credit.ReasonsRequired.Because("Give each reason only once.")
		}
	}
	return nil
}

// adverse lists the adverse actions on an account in a change by staff (F28). A company
// without an account, or with a closed one, has nothing to lose.
func adverse(was, now *credit.Company) (acts []credit.NoticeKind) {
	if !hasAccount(was) {
		return nil
	}
	if now.Limit < was.Limit && hasAccount(now) {
		acts = append(acts, credit.NoticeLineDecrease)
	}
	if ratesRise(was, now) {
		acts = append(acts, credit.NoticeRateIncrease)
	}
	switch {
	case was.Status == now.Status:
	case now.Status == credit.CompanySuspended:
		acts = append(acts, credit.NoticeSuspension)
	case now.Status == credit.CompanyClosed:
		acts = append(acts, credit.NoticeClosure)
	}
	return acts
}

// hasAccount reports whether a company has been approved and is not closed.
func hasAccount(c *credit.Company) bool {
	return c.Status != credit.CompanyPending && c.Status != credit.CompanyDeclined && c.Status != credit.CompanyClosed
}

// ratesRise reports whether future purchases cost more because the account moved to a worse
// tier, A being the best (F27).
func ratesRise(was, now *credit.Company) bool {
	return was.Tier != "" && now.Tier > was.Tier && hasAccount(now)
}
