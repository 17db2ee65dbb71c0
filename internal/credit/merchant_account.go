package credit

// SetMerchantAccount sets where a merchant is paid. It also ends a hold that a failed payout has caused (F32).
type SetMerchantAccount struct {
	Merchant string       `json:"merchant"`
	Bank     *BankAccount `json:"bank"`
	Debits   bool         `json:"debits"`
}

// Name is the command's word in the audit log.
func (SetMerchantAccount) Name() string { return "merchant.account" }

// Keys is not there yet.
func (SetMerchantAccount) Keys(*State, Env) Keys { return Keys{} }

func (SetMerchantAccount) admit(*State, Env) *Rejection { return pending() }

func (SetMerchantAccount) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }

// HoldPayouts keeps a merchant's payouts back, or with an empty Reason lets them go.
type HoldPayouts struct {
	Merchant string `json:"merchant"`
	Reason   string `json:"reason"`
}

// Name is the command's word in the audit log.
func (HoldPayouts) Name() string { return "merchant.hold_payouts" }

// Keys is not there yet.
func (HoldPayouts) Keys(*State, Env) Keys { return Keys{} }

func (HoldPayouts) admit(*State, Env) *Rejection { return pending() }

func (HoldPayouts) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }
