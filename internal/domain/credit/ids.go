package credit

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"tenor/internal/domain/ulid"
)

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

// IDs generates a command's identifiers from its seed: deciding the same command again
// generates the same ones.
type IDs struct {
	seed [16]byte
	ms   int64
	n    uint32
}

// IDsOf generates identifiers without an instant, such as a company's, from a seed.
func IDsOf(seed [16]byte) IDs { return IDs{seed: seed} }

// IDsAt generates identifiers of an instant from a seed.
func IDsAt(seed [16]byte, at time.Time) IDs { return IDs{seed: seed, ms: at.UnixMilli()} }

// Skip continues after the first n blocks, which are already used.
func (g *IDs) Skip(n uint32) { g.n = n }

// Next returns a new identifier in the ULID layout: 48 bits of milliseconds,
// then 80 bits of the seed's stream.
func (g *IDs) Next(prefix string) string {
	h := g.Block()
	return ulid.At(prefix, g.ms, [10]byte(h[:10]))
}

// Company identifiers have ten digits and exceed 32 bits, so that a program storing them in
// too small an integer fails on the first one, in a sandbox as in production.
const (
	lowestCompany  = 1 << 31
	highestCompany = 9_999_999_999
)

// CompanyID returns a random identifier of a company.
func (g *IDs) CompanyID() int64 {
	h := g.Block()
	return lowestCompany + int64(binary.BigEndian.Uint64(h[:8])%(highestCompany-lowestCompany+1))
}

// Block returns the next bytes of the seed's stream.
func (g *IDs) Block() [32]byte {
	var b [20]byte
	copy(b[:], g.seed[:])
	binary.BigEndian.PutUint32(b[16:], g.n)
	g.n++
	return sha256.Sum256(b[:])
}
