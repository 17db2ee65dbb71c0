// Package thief tries to steal. It runs the whole API, the scheduler and the sandbox's
// bank in one process over the reference store, and plays people who have only
// merchants' tokens: scripts of thefts that once worked, a thief who tries every call
// that its token allows, and a saboteur who harms others. Nothing in it ships.
//
// # The score
//
// A thief's score is the lender's loss in cents, computed from the ledger and from what
// the bank was told to move, after every call and every turn of the scheduler. It is the
// sum of the following, each of which must be 0.00 by F41:
//
//	over the line   for each company, what a merchant's call has added to unpaid principal
//	                (1100, funded orders), to 1130 and to reservations (9000) above its limit
//	sent to buyers  for each company, what left 1000 for it (refunds and credit), counted when
//	                it leaves, above what came to 1000 for it by then: debits and charges that
//	                were not returned, what staff received, what merchants reported and has
//	                been netted or remitted. A debit returned after its refund is on 1130 and
//	                counts as received: it is bounded by F41.3
//	twice           for each payment, what was refunded of it, sent or not, and what order
//	                refunds have turned into credit of it, above its amount
//	elsewhere       what the bank was told to pay into companies' accounts that no debit has
//	                come from, and into a merchant's account that is not the lender's payout
//	merchants' debt for each merchant, what its call has added to 1200 and 1210 together above
//	                its cap (F41.6)
//	hidden debt     for each company, principal that is past due by more than suspend_dpd and
//	                twice the grace, by what the borrower has really paid, while the company
//	                may still order
//
// What the rules lend within the line, the discount, charges and fees are not a loss. Nor
// is what a bank or a processor charges, which is counted separately (Score.Costs).
//
// # The saboteur
//
// A saboteur's score is the harm to others: the same others do the same things on the
// same days with and without the saboteur, and every answer they get, every payout and
// every debit must be the same except for numbers and names.
package thief
