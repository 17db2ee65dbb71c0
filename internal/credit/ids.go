package credit

import (
	"crypto/sha256"
	"encoding/binary"
)

// Identifier prefixes.
const (
	prefixOrder    = "ord_"
	prefixPayment  = "pay_"
	prefixInvoice  = "inv_"
	prefixEvent    = "evt_"
	prefixMerchant = "mch_"
	prefixRefund   = "rfd_"
	prefixEntry    = "ent_"
	prefixClient   = "cli_"
	prefixEndpoint = "whk_"
	prefixResend   = "rsd_"
	prefixMethod   = "pm_"
	prefixTransfer = "trf_"
	prefixPayout   = "po_"
	prefixLine     = "pol_"
	prefixNotice   = "ntc_"
	prefixFee      = "fee_"
	prefixUse      = "use_"

	prefixScreening = "scr_"
	prefixReceipt   = "rcp_"

	prefixPerson      = "per_"
	prefixApplication = "app_"
	prefixCheckout    = "chk_"
	prefixDocument    = "doc_"
	prefixMail        = "mail_"
	prefixCase        = "case_"
)

// crockford is the base32 alphabet without I, L, O and U.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// ids draws a command's identifiers from its seed: the same command draws the
// same ones whenever it is decided again.
type ids struct {
	seed [16]byte
	ms   int64
	n    uint32
}

// next returns a new identifier in the ULID layout: 48 bits of milliseconds,
// then 80 bits of the seed's stream.
func (g *ids) next(prefix string) string {
	h := g.block()
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], uint64(g.ms)<<16)
	copy(raw[6:], h[:10])
	hi, lo := binary.BigEndian.Uint64(raw[:8]), binary.BigEndian.Uint64(raw[8:])
	out := make([]byte, len(prefix)+26)
	copy(out, prefix)
	for i := len(out) - 1; i >= len(prefix); i-- {
		out[i] = crockford[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return string(out)
}

// Identifiers of companies are ten digits, and too large for 32 bits: a program that
// keeps them in too small a number fails with the first one, in a sandbox as in production.
const (
	lowestCompany  = 1 << 31
	highestCompany = 9_999_999_999
)

// companyID returns a random identifier of a company.
func (g *ids) companyID() int64 {
	h := g.block()
	return lowestCompany + int64(binary.BigEndian.Uint64(h[:8])%(highestCompany-lowestCompany+1))
}

func (g *ids) block() [32]byte {
	var b [20]byte
	copy(b[:], g.seed[:])
	binary.BigEndian.PutUint32(b[16:], g.n)
	g.n++
	return sha256.Sum256(b[:])
}
