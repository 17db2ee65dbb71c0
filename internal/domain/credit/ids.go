package credit

import ()

// Identifier prefixes.
const (
	PrefixOrder    = "ord_"
	PrefixPayment  = "pay_"
	PrefixInvoice  = "inv_"
	prefixEvent    = "evt_"
	PrefixMerchant = "mch_"
	PrefixRefund   = "rfd_"
	prefixEntry    = "ent_"
	PrefixClient   = "cli_"
	PrefixEndpoint = "whk_"
	PrefixResend   = "rsd_"
	PrefixMethod   = "pm_"
	PrefixTransfer = "trf_"
	PrefixPayout   = "po_"
	prefixLine     = "pol_"
	PrefixNotice   = "ntc_"
	PrefixFee      = "fee_"
	PrefixUse      = "use_"

	PrefixScreening = "scr_"
	PrefixReceipt   = "rcp_"

	PrefixPerson      = "per_"
	PrefixApplication = "app_"
	PrefixCheckout    = "chk_"
	prefixDocument    = "doc_"
	prefixMail        = "mail_"
	PrefixCase        = "case_"
	PrefixStaffMember = "stf_"
	PrefixApproval    = "apv_"
	prefixNote        = "note_"
)

// Prefixes lists the prefixes of the identifiers that commands make.
func Prefixes() []string {
	out := []string{
		PrefixOrder, PrefixPayment, PrefixInvoice, prefixEvent, PrefixMerchant, PrefixRefund, prefixEntry, PrefixClient, PrefixEndpoint, PrefixResend,
		PrefixMethod, PrefixTransfer, PrefixPayout, prefixLine, PrefixNotice, PrefixFee, PrefixScreening, PrefixReceipt,
	}
	for _, k := range RecordKinds {
		out = append(out, k.Prefix)
	}
	return out
}
