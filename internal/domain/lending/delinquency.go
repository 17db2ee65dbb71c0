package lending

import "tenor/internal/domain/credit"

// BucketOf is the bucket for a number of days past due.
func BucketOf(dpd int) credit.Bucket {
	switch {
	case dpd < 1:
		return credit.BucketCurrent
	case dpd < 30:
		return credit.Bucket1
	case dpd < 60:
		return credit.Bucket30
	case dpd < 90:
		return credit.Bucket60
	case dpd < 120:
		return credit.Bucket90
	}
	return credit.Bucket120
}
