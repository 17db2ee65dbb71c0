package lending

import "tenor/internal/domain/credit"

// BucketOf is the bucket for a number of days past due (F18).
func BucketOf(dpd int) credit.Bucket {
	of := credit.BucketCurrent
	for _, b := range credit.Buckets() {
		if from, _ := BucketDays(b); dpd >= from {
			of = b
		}
	}
	return of
}

// BucketDays is a bucket's range of days past due, both included; to is -1 for the last one, which
// has no end (F18).
func BucketDays(b credit.Bucket) (from, to int) {
	switch b {
	case credit.BucketCurrent:
		return 0, 0
	case credit.Bucket1:
		return 1, 29
	case credit.Bucket30:
		return 30, 59
	case credit.Bucket60:
		return 60, 89
	case credit.Bucket90:
		return 90, 119
	}
	return 120, -1
}
