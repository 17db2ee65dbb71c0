package payments

// HeldPayoutFailed is why payouts wait after one could not be delivered: until the
// merchant's bank account is set anew.
const HeldPayoutFailed = "payout_failed"
