// Package payments decides on money in transit: payments and their refunds, payment methods,
// transfers, cards, receipts, autopay, credit that goes back, and the outcomes of payout
// transfers.
//
// payment.go records a payment; payment_back.go and refund_*.go give money back. method.go and
// method_standing.go are about accounts and cards. transfer.go sends and settles,
// transfer_return.go handles bank returns, and return_decision.go and return_blame.go decide
// what follows. card.go and card_dispute.go are about charges. What money does to a loan is in
// package lending.
package payments
