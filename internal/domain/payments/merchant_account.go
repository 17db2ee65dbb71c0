package payments

// HeldPayoutFailed is why payouts are held after one could not be delivered, until the
// merchant's bank account is set again.
const HeldPayoutFailed = "payout_failed"
