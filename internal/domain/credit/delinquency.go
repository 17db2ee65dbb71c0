package credit

// Bucket is a band of days past due (F18).
type Bucket string

// The buckets, best first.
const (
	BucketCurrent Bucket = "CURRENT"
	Bucket1       Bucket = "DPD_1_29"
	Bucket30      Bucket = "DPD_30_59"
	Bucket60      Bucket = "DPD_60_89"
	Bucket90      Bucket = "DPD_90_119"
	Bucket120     Bucket = "DPD_120_PLUS"
)

// Buckets lists the buckets, best first.
func Buckets() []Bucket {
	return []Bucket{BucketCurrent, Bucket1, Bucket30, Bucket60, Bucket90, Bucket120}
}

// BucketOf is the bucket of a number of days past due.
func BucketOf(dpd int) Bucket {
	switch {
	case dpd < 1:
		return BucketCurrent
	case dpd < 30:
		return Bucket1
	case dpd < 60:
		return Bucket30
	case dpd < 90:
		return Bucket60
	case dpd < 120:
		return Bucket90
	}
	return Bucket120
}

// Nonaccrual reports that an order so late no longer earns charge as income (F18).
func (s *Settings) Nonaccrual(dpd int) bool { return dpd >= s.NonaccrualDPD }

// ChargeOffDue reports that the system proposes to charge off an order so late
// (F17).
func (s *Settings) ChargeOffDue(dpd int) bool { return dpd >= s.ChargeOffDPD }
