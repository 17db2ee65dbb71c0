package lending

import "tenor/internal/domain/credit"

// CheckoutKeys requests a checkout with everything that ending it changes; "" requests
// nothing.
func CheckoutKeys(s *credit.State, id string) credit.Keys {
	if id == "" {
		return credit.Keys{}
	}
	k := credit.Keys{Records: []credit.RecordKey{{Noun: credit.NounCheckout, ID: id}}}
	c := s.Checkout(id)
	if c == nil {
		return k
	}
	k.Merchants = []string{c.Merchant}
	k = credit.JoinKeys(k, OrderKeys(s, c.Of))
	if c.Company != 0 {
		k.Companies = append(k.Companies, c.Company)
	}
	if c.Person != "" {
		k.Records = append(k.Records, credit.RecordKey{Noun: credit.NounPerson, ID: c.Person})
	}
	if c.Application != "" {
		k.Records = append(k.Records, credit.RecordKey{Noun: credit.NounApplication, ID: c.Application})
	}
	return k
}

// Reasons for a checkout's status, as passed to its cancel_url.
const (
	EndReplaced           = "replaced"
	EndBuyerCanceled      = "buyer_canceled"
	EndMerchantCanceled   = "merchant_canceled"
	EndInsufficientCredit = "insufficient_credit"
	EndNotEligible        = "company_not_eligible"
	EndDeclined           = "declined"
	EndExpired            = "expired"
	EndNotCompleted       = "not_completed"
	PendingReview         = "pending_review"
)
