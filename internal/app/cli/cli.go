// Package cli is the command line: its grammar, help and completion, and how one line is run.
// The commands themselves are below it, by whom they are for.
package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"tenor/internal/app/bench"
	"tenor/internal/app/cli/integrate"
	"tenor/internal/app/cli/operate"
	"tenor/internal/app/cli/trade"
	"tenor/internal/app/demo"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

// Grammar is the grammar of the command line: nouns, and below them verbs.
type Grammar struct {
	Help    helpFlag             `short:"h" help:"Show examples, arguments and flags."`
	About   aboutFlag            `name:"version" help:"Print the version."`
	NoColor terminal.NoColorFlag `name:"no-color" help:"Do not use colors."`

	Dev   operate.DevCommand   `cmd:"" group:"start" help:"Start a sandbox with demo data, all in one process."`
	Demo  demo.Command         `cmd:"" group:"start" help:"Run a whole story: a checkout, a bounced debit, a refund, and the books."`
	Serve operate.ServeCommand `cmd:"" group:"start" help:"Serve live data."`
	Token operate.TokenCommand `cmd:"" group:"start" help:"Create an access token."`

	Orders struct {
		List       trade.OrdersList      `cmd:"" help:"List orders, newest first."`
		Get        trade.OrderGet        `cmd:"" help:"Show an order."`
		Create     trade.OrderCreate     `cmd:"" help:"Create an order."`
		Update     trade.OrderUpdate     `cmd:"" help:"Change an order that is not captured."`
		Authorize  trade.OrderAuthorize  `cmd:"" help:"Reserve an order's amount on the credit line."`
		Capture    trade.OrderCapture    `cmd:"" help:"Capture an order when goods ship: repayment begins."`
		Partial    trade.OrderPartial    `cmd:"" help:"Capture a part of an order."`
		Cancel     trade.OrderCancel     `cmd:"" help:"Cancel an order that is not captured."`
		Extend     trade.OrderExtend     `cmd:"" help:"Extend an authorization, once."`
		Refund     trade.OrderRefund     `cmd:"" help:"Refund a captured order, whole or in part."`
		Payoff     trade.OrderPayoff     `cmd:"" help:"Quote the payoff of an order."`
		Explain    trade.OrderExplain    `cmd:"" help:"Explain each amount of an order."`
		Events     trade.OrderEventsList `cmd:"" help:"List the events of an order."`
		Watch      trade.OrderWatch      `cmd:"" help:"Follow the events of an order as they happen."`
		Hold       trade.OrderHold       `cmd:"" help:"Put an order on dispute hold, or end the hold (lender)."`
		Autopay    trade.OrderAutopay    `cmd:"" help:"Turn autopay on or off for an order."`
		Resume     trade.OrderResume     `cmd:"" help:"Resume automatic collection of an order (lender)."`
		Reschedule trade.OrderReschedule `cmd:"" help:"Move the due dates of an order, from one installment on (lender)."`
		Reamortize trade.OrderReamortize `cmd:"" help:"Spread the unpaid balance over the installments left (lender)."`
		ChargeOff  trade.OrderChargeOff  `cmd:"" name:"charge-off" help:"Charge an order off (lender)."`
		Reverse    trade.OrderReverse    `cmd:"" name:"reverse-charge-off" help:"Reverse a charge-off (lender)."`
		Fees       struct {
			Waive trade.FeeWaive `cmd:"" help:"Waive the unpaid part of a fee (lender)."`
		} `cmd:"" help:"Fees of an order."`
	} `cmd:"" group:"trade" help:"Create, authorize, capture and refund orders."`

	Checkouts struct {
		List     trade.CheckoutsList    `cmd:"" help:"List checkouts, newest first."`
		Show     trade.CheckoutShow     `cmd:"" help:"Show a checkout."`
		Create   trade.CheckoutCreate   `cmd:"" help:"Create a checkout and get its address."`
		Complete trade.CheckoutComplete `cmd:"" help:"Authorize the order of a checkout that the buyer has accepted."`
		Expire   trade.CheckoutExpire   `cmd:"" help:"End a checkout."`
	} `cmd:"" group:"trade" help:"Hosted checkouts, where a buyer accepts the terms."`

	Applications struct {
		List     trade.ApplicationsList    `cmd:"" help:"List applications, newest first."`
		Show     trade.ApplicationShow     `cmd:"" help:"Show an application."`
		Submit   trade.ApplicationSubmit   `cmd:"" help:"Submit a business's application."`
		Estimate trade.ApplicationEstimate `cmd:"" help:"Prequalify a business; a no is mailed to the applicant as a notice."`
		Withdraw trade.ApplicationWithdraw `cmd:"" help:"Withdraw an application for the applicant."`
		Approve  trade.ApplicationApprove  `cmd:"" help:"Approve an application (lender)."`
		Decline  trade.ApplicationDecline  `cmd:"" help:"Decline an application (lender)."`
		Request  trade.ApplicationRequest  `cmd:"" help:"Ask an applicant for documents (lender)."`
		Assign   trade.ApplicationAssign   `cmd:"" help:"Assign an application to a reviewer (lender)."`
		Notice   trade.ApplicationNotice   `cmd:"" help:"Show or print the notice of an application (lender)."`
		Sent     trade.ApplicationSent     `cmd:"" help:"Record that the notice of an application was sent (lender)."`
	} `cmd:"" group:"trade" help:"Applications for a credit line, and decisions on them."`

	Approvals struct {
		List    trade.ApprovalsList   `cmd:"" help:"List what waits for a second person, or has, newest first (lender)."`
		Show    trade.ApprovalShow    `cmd:"" help:"Show a request for approval (lender)."`
		Approve trade.ApprovalApprove `cmd:"" help:"Approve and do what somebody else has requested (lender)."`
		End     trade.ApprovalEnd     `cmd:"" help:"Decline a request, or withdraw your own (lender)."`
	} `cmd:"" group:"trade" help:"Acts of the lender's that take two people."`

	Cases struct {
		List    trade.CasesList   `cmd:"" help:"List cases, newest first (lender)."`
		Show    trade.CaseShow    `cmd:"" help:"Show a case and its notes (lender)."`
		Note    trade.CaseAnswer  `cmd:"" help:"Add a note, which the person who opened the case can read (lender)."`
		Resolve trade.CaseResolve `cmd:"" help:"Decide a dispute, or close a question (lender)."`
	} `cmd:"" group:"trade" help:"Disputes and questions of buyers and merchants."`

	Companies struct {
		List            trade.CompaniesList          `cmd:"" help:"List companies."`
		Get             trade.CompanyGet             `cmd:"" help:"Show a company and its credit line."`
		Create          trade.CompanyCreate          `cmd:"" help:"Create a company (lender)."`
		Hold            trade.CompanyHold            `cmd:"" help:"Stop new orders of a company (lender)."`
		Release         trade.CompanyRelease         `cmd:"" help:"Release a held or suspended company (lender)."`
		Line            trade.CompanyLine            `cmd:"" help:"Set a company's credit line (lender)."`
		Link            trade.CompanyLink            `cmd:"" help:"Link a company to a merchant (lender)."`
		Unlink          trade.CompanyUnlink          `cmd:"" help:"Unlink a company from a merchant (lender)."`
		Close           trade.CompanyClose           `cmd:"" help:"Close a company for good (lender)."`
		Unfreeze        trade.CompanyUnfreeze        `cmd:"" help:"Unfreeze the money of a closed company (lender)."`
		Report          trade.CompanyReport          `cmd:"" help:"Record a bankruptcy or a fraud of a company (lender)."`
		Withdraw        trade.CompanyWithdrawReport  `cmd:"" name:"withdraw-report" help:"Withdraw a recorded bankruptcy or fraud (lender)."`
		Orders          trade.CompanyOrders          `cmd:"" help:"List a company's orders, newest first."`
		Payments        trade.CompanyPayments        `cmd:"" help:"List a company's payments, newest first."`
		Invoices        trade.CompanyInvoices        `cmd:"" help:"List a company's invoices, newest first."`
		Methods         trade.CompanyMethods         `cmd:"" help:"List a company's payment methods, newest first."`
		AddMethod       trade.CompanyAddMethod       `cmd:"" name:"add-method" help:"Add a bank account that a company pays from."`
		VerifyMethod    trade.CompanyVerifyMethod    `cmd:"" name:"verify-method" help:"Confirm an account by its micro-deposits."`
		VouchMethod     trade.CompanyVouchMethod     `cmd:"" name:"vouch-method" help:"Vouch for an account, or record the company's consent to it."`
		AuthorizeMethod trade.CompanyAuthorizeMethod `cmd:"" name:"authorize-method" help:"Record a new authorization of debits."`
		RemoveMethod    trade.CompanyRemoveMethod    `cmd:"" name:"remove-method" help:"Remove an account, which is never debited again."`
		Autopay         trade.CompanyAutopay         `cmd:"" help:"Turn a company's autopay on or off."`
		Credits         trade.CompanyCredits         `cmd:"" help:"List a company's unapplied credit, and why it is held."`
		RequestCredit   trade.CompanyRequestCredit   `cmd:"" name:"request-credit" help:"Request a company's unapplied credit."`
		SendCredit      trade.CompanySendCredit      `cmd:"" name:"send-credit" help:"Send back a company's unapplied credit now (lender)."`
		Statements      trade.CompanyStatements      `cmd:"" help:"List a company's statements, or show one (lender)."`
		Agreement       trade.CompanyAgreement       `cmd:"" help:"Show the master agreement that a company has signed, and who has (lender)."`
		Signed          trade.CompanySigned          `cmd:"" help:"Record that a company has signed its master agreement on paper (lender)."`
	} `cmd:"" group:"trade" help:"Companies: credit lines, accounts, statements, agreements."`

	People struct {
		List   trade.PeopleList   `cmd:"" help:"List the people of a company (lender)."`
		Set    trade.PeopleSet    `cmd:"" help:"Invite somebody to act for a company, or change a role (lender)."`
		Remove trade.PeopleRemove `cmd:"" help:"End a person's role at a company, or take an invitation back (lender)."`
	} `cmd:"" group:"trade" help:"People who act for a company: roles, limits, invitations."`

	Payments struct {
		List      trade.PaymentsList     `cmd:"" help:"List payments, newest first."`
		Get       trade.PaymentGet       `cmd:"" help:"Show a payment."`
		Record    trade.PaymentRecord    `cmd:"" help:"Record a payment that was received."`
		Schedule  trade.PaymentSchedule  `cmd:"" help:"Show the installments of an order."`
		Refund    trade.PaymentRefund    `cmd:"" help:"Refund a payment, whole or in part."`
		Owed      trade.PaymentsOwed     `cmd:"" help:"List refunds and credit still owed, oldest first (lender)."`
		PayRefund trade.PaymentPayRefund `cmd:"" name:"pay-refund" help:"Pay a refund that has not arrived (lender)."`
		Return    trade.PaymentReturn    `cmd:"" help:"Return a payment that failed (lender)."`
		Reverse   trade.PaymentReverse   `cmd:"" help:"Reverse a debit that was made in error (lender)."`
		Cancel    trade.PaymentCancel    `cmd:"" help:"Cancel a payment that has not been sent."`
	} `cmd:"" group:"money" help:"Payments from buyers, and their refunds."`

	Invoices struct {
		List trade.InvoicesList `cmd:"" help:"List invoices, newest first."`
		Get  trade.InvoiceGet   `cmd:"" help:"Show an invoice."`
	} `cmd:"" group:"money" help:"Invoices of captured orders."`

	Payouts struct {
		List    trade.PayoutsList    `cmd:"" help:"List payouts, newest first."`
		Get     trade.PayoutGet      `cmd:"" help:"Show a payout with its lines."`
		Export  trade.PayoutsExport  `cmd:"" help:"Export payouts, a row for each order."`
		Hold    trade.PayoutsHold    `cmd:"" help:"Hold a merchant's payouts (lender)."`
		Release trade.PayoutsRelease `cmd:"" help:"Release a merchant's payouts (lender)."`
	} `cmd:"" group:"money" help:"Payouts to merchants."`

	Receipts struct {
		List     trade.ReceiptsList    `cmd:"" help:"List unidentified receipts, newest first (lender)."`
		Get      trade.ReceiptGet      `cmd:"" help:"Show a receipt (lender)."`
		Record   trade.ReceiptRecord   `cmd:"" help:"Record an unidentified receipt (lender)."`
		Identify trade.ReceiptIdentify `cmd:"" help:"Identify a receipt: it becomes a payment (lender)."`
		Return   trade.ReceiptReturn   `cmd:"" help:"Record that a receipt was sent back (lender)."`
	} `cmd:"" group:"money" help:"Unidentified receipts."`

	Transfers struct {
		List    trade.TransfersList   `cmd:"" help:"List transfers of banks and card processors, newest first (lender)."`
		SameDay trade.TransferSameDay `cmd:"" name:"same-day" help:"Send a waiting transfer by same-day settlement (lender)."`
	} `cmd:"" group:"money" help:"Transfers sent to banks and card processors."`

	Reconcile trade.ReconcileCommand `cmd:"" group:"money" help:"Reconcile your own list of orders with the books."`

	Ledger struct {
		Balances     trade.LedgerBalances  `cmd:"" help:"Show the balances of a company or a merchant (lender)."`
		Entries      trade.LedgerEntries   `cmd:"" help:"List every posting of an order."`
		TrialBalance trade.LedgerTrial     `cmd:"" name:"trial-balance" help:"Show the balance of every account (lender)."`
		Export       trade.LedgerExport    `cmd:"" help:"Export the books as CSV, for hledger or as JSON (lender)."`
		Fund         trade.LedgerFund      `cmd:"" help:"Record cash that the lender puts in or takes out (lender)."`
		Close        trade.LedgerClose     `cmd:"" help:"Close a month of the books, or list those that are closed (lender)."`
		Reconcile    trade.LedgerReconcile `cmd:"" help:"Reconcile the bank's statement with account 1000 (lender)."`
		Matches      trade.LedgerMatches   `cmd:"" help:"List the matches of bank lines and entries (lender)."`
		Match        trade.LedgerMatch     `cmd:"" help:"Match bank lines with entries (lender)."`
		Unmatch      trade.LedgerUnmatch   `cmd:"" help:"Undo a match (lender)."`
		Assign       trade.LedgerAssign    `cmd:"" help:"Assign a bank line or an entry to somebody (lender)."`
		BankNotices  trade.BankNoticesList `cmd:"" name:"bank-notices" help:"List bank notices that need review (lender)."`
		BankNotice   trade.BankNoticeGet   `cmd:"" name:"bank-notice" help:"Show a bank notice (lender)."`
		Review       trade.BankReview      `cmd:"" help:"Record what was done about a bank notice (lender)."`
	} `cmd:"" group:"money" help:"The double-entry ledger and the bank's statement."`

	Webhooks struct {
		List       integrate.WebhooksList      `cmd:"" help:"List endpoints, newest first."`
		Get        integrate.WebhookGet        `cmd:"" help:"Show an endpoint."`
		Create     integrate.WebhookCreate     `cmd:"" help:"Create an endpoint."`
		Update     integrate.WebhookUpdate     `cmd:"" help:"Change an endpoint."`
		Delete     integrate.WebhookDelete     `cmd:"" help:"Delete an endpoint."`
		Rotate     integrate.WebhookRotate     `cmd:"" help:"Give an endpoint a new signing secret."`
		Test       integrate.WebhookTest       `cmd:"" help:"Send an endpoint a test event."`
		Deliveries integrate.WebhookDeliveries `cmd:"" help:"List an endpoint's deliveries, or show one with its attempts."`
		Redeliver  integrate.WebhookRedeliver  `cmd:"" help:"Redeliver an event."`
		Replay     integrate.WebhookReplay     `cmd:"" help:"Replay the events of a span of time."`
		Listen     integrate.WebhookListen     `cmd:"" help:"Forward events to a receiver on this machine."`
	} `cmd:"" group:"build" help:"Endpoints that receive events."`

	Events struct {
		List  integrate.EventsList `cmd:"" help:"List events, oldest first."`
		Types integrate.EventTypes `cmd:"" help:"List the event types."`
		Tail  integrate.EventsTail `cmd:"" help:"Follow events as they happen."`
		Get   integrate.EventGet   `cmd:"" help:"Show an event."`
	} `cmd:"" group:"build" help:"Events: list them, follow them."`

	Requests struct {
		List integrate.RequestsList `cmd:"" help:"List API requests, newest first."`
		Tail integrate.RequestsTail `cmd:"" help:"Follow API requests as they are answered."`
		Get  integrate.RequestsGet  `cmd:"" help:"Show a request with its bodies, masked."`
	} `cmd:"" group:"build" help:"The request log: list API requests, follow them."`

	Mail struct {
		List integrate.MailCommand `cmd:"" default:"withargs" help:"Show the newest messages; with --follow, also new ones as they arrive (sandbox)."`
		Show integrate.MailShow    `cmd:"" help:"Show a message (sandbox)."`
	} `cmd:"" group:"sandbox" help:"The mailbox of a sandbox: codes, links, notices."`

	Clock struct {
		Show    integrate.ClockShow    `cmd:"" help:"Show the business clock and the next due event."`
		Advance integrate.ClockAdvance `cmd:"" help:"Advance the clock, day by day."`
		Freeze  integrate.ClockFreeze  `cmd:"" help:"Stop the clock."`
		Resume  integrate.ClockResume  `cmd:"" help:"Let the clock run at real speed."`
	} `cmd:"" group:"sandbox" help:"The business clock of a sandbox."`

	Bank struct {
		FailNext integrate.BankFailNext `cmd:"" name:"fail-next" help:"Make the next debit fail."`
		Return   integrate.BankReturn   `cmd:"" help:"Return the debit of a payment."`
		Settle   integrate.BankSettle   `cmd:"" help:"Advance the clock until everything in transit has settled."`
		Notice   integrate.BankNotice   `cmd:"" help:"Send a notification of change."`
	} `cmd:"" group:"sandbox" help:"The simulated bank of a sandbox."`

	Sandbox struct {
		Company   integrate.SandboxCompany      `cmd:"" help:"Create a company that can buy."`
		Account   trade.SandboxAccount          `cmd:"" help:"Add a test account whose debits succeed or fail as chosen."`
		Snapshot  integrate.SandboxSnapshotMake `cmd:"" help:"Take a snapshot: books, clock and bank."`
		Snapshots integrate.SandboxSnapshots    `cmd:"" help:"List the snapshots."`
		Restore   integrate.SandboxRestore      `cmd:"" help:"Restore a snapshot."`
		Reset     integrate.SandboxReset        `cmd:"" help:"Empty the sandbox."`
		Seed      integrate.SandboxSeed         `cmd:"" help:"Seed the demo data."`
		Mail      struct {
			List integrate.MailList `cmd:"" help:"List messages, newest first."`
			Get  integrate.MailGet  `cmd:"" help:"Show a message."`
		} `cmd:"" help:"What would have been sent by mail."`
	} `cmd:"" group:"sandbox" help:"Test data, snapshots and reset of a sandbox."`

	Scenarios struct {
		List integrate.ScenariosList `cmd:"" help:"List the scenarios."`
		Run  integrate.ScenariosRun  `cmd:"" help:"Run scenarios and check the final state."`
	} `cmd:"" group:"sandbox" help:"Scenarios that run in a sandbox."`

	Trigger integrate.TriggerCommand `cmd:"" group:"sandbox" help:"Trigger an event with real objects (sandbox)."`

	Clients struct {
		List   integrate.ClientsList  `cmd:"" help:"List API clients (lender)."`
		Get    integrate.ClientGet    `cmd:"" help:"Show an API client (lender)."`
		Create integrate.ClientCreate `cmd:"" help:"Create an API client (lender)."`
		Roll   integrate.ClientRoll   `cmd:"" help:"Give an API client a new secret (lender)."`
		Revoke integrate.ClientRevoke `cmd:"" help:"Revoke an API client and its tokens (lender)."`
	} `cmd:"" group:"lender" help:"API clients: credentials, scopes, secrets."`

	Merchants struct {
		List    trade.MerchantsList  `cmd:"" help:"List the merchants (lender)."`
		Get     trade.MerchantGet    `cmd:"" help:"Show a merchant (lender)."`
		Create  trade.MerchantCreate `cmd:"" help:"Create a merchant (lender)."`
		Account struct {
			Set     trade.MerchantPayAccount     `cmd:"" help:"Set a merchant's bank account and who is notified of changes (lender)."`
			Confirm trade.MerchantConfirmAccount `cmd:"" help:"Confirm a change that another client of the lender has asked for (lender)."`
			Cancel  trade.MerchantCancelAccount  `cmd:"" help:"Cancel a change before it takes effect (lender)."`
		} `cmd:"" help:"Where a merchant is paid."`
		Shop        trade.MerchantShop        `cmd:"" help:"Set a merchant's shop: the origins its checkouts may return to (lender)."`
		Limits      trade.MerchantLimits      `cmd:"" help:"Set the exposure limits of a merchant (lender)."`
		Remit       trade.MerchantRemit       `cmd:"" help:"Record a remittance of money that a merchant collected (lender)."`
		PayClawback trade.MerchantPayClawback `cmd:"" name:"pay-clawback" help:"Record a merchant's payment of clawbacks (lender)."`
		Program     trade.MerchantProgram     `cmd:"" help:"List the versions of a merchant's terms, or add one (lender)."`
	} `cmd:"" group:"lender" help:"Merchants: terms, accounts, shops, limits."`

	Alarms operate.AlarmsCommand `cmd:"" group:"lender" help:"List what needs attention (lender)."`

	Audit operate.AuditCommand `cmd:"" group:"lender" help:"List the audit log: what was done, by whom and why (lender)."`

	Screenings struct {
		List    trade.ScreeningsList   `cmd:"" help:"List sanctions screenings with a possible match, newest first (lender)."`
		Get     trade.ScreeningGet     `cmd:"" help:"Show a screening with what it found (lender)."`
		Confirm trade.ScreeningConfirm `cmd:"" help:"Confirm a match (lender)."`
		Clear   trade.ScreeningClear   `cmd:"" help:"Clear a match (lender)."`
	} `cmd:"" group:"lender" help:"Sanctions screenings."`

	Notices struct {
		List trade.NoticesList `cmd:"" help:"List notices of adverse actions, newest first (lender)."`
		Get  trade.NoticeGet   `cmd:"" help:"Show a notice, or print it (lender)."`
		Sent trade.NoticeSent  `cmd:"" help:"Record that a notice was sent (lender)."`
		Ask  trade.NoticeAsk   `cmd:"" help:"Record a company's request for the reasons (lender)."`
	} `cmd:"" group:"lender" help:"Notices of adverse actions."`

	Lender struct {
		Show trade.LenderShow `cmd:"" help:"Show the lender's settings and the state of its books (lender)."`
		Set  trade.LenderSet  `cmd:"" help:"Change the lender's settings (lender)."`
	} `cmd:"" group:"lender" help:"Settings of the lender."`

	DB struct {
		Migrate operate.DBMigrate `cmd:"" help:"Run the missing migrations."`
		Status  operate.DBStatus  `cmd:"" help:"List the migrations and which have run."`
	} `cmd:"" group:"operate" name:"db" help:"The schema of the database."`

	Keys struct {
		Create operate.KeysCreate `cmd:"" help:"Create a key file."`
		Add    operate.KeysAdd    `cmd:"" help:"Add a new key to a key file."`
		Rotate operate.KeysRotate `cmd:"" help:"Re-encrypt with the newest key."`
		Status operate.KeysStatus `cmd:"" help:"Show which keys are still needed."`
		Drop   operate.KeysDrop   `cmd:"" name:"drop-old" help:"Remove keys that nothing needs any more."`
		Public operate.KeysPublic `cmd:"" help:"Print the public keys that verify signed heads."`
	} `cmd:"" group:"operate" help:"Keys that encrypt secrets and sign the audit log."`

	Staff struct {
		List      operate.StaffList      `cmd:"" help:"List who works at the lender."`
		Invite    operate.StaffInvite    `cmd:"" help:"Invite somebody to the console, or let somebody set up a new password, and print the one-time link."`
		Roles     operate.StaffRoles     `cmd:"" help:"Change somebody's roles."`
		Suspend   operate.StaffSuspend   `cmd:"" help:"Suspend somebody, or take an invitation back."`
		Reinstate operate.StaffReinstate `cmd:"" help:"End a suspension."`
		Approvals operate.StaffApprovals `cmd:"" help:"Show or change what takes two people."`
	} `cmd:"" group:"operate" help:"The lender's staff, who sign in to the console."`

	API struct {
		Get    integrate.APIGet    `cmd:"" help:"Read any resource."`
		Post   integrate.APIPost   `cmd:"" help:"Post to any path."`
		Put    integrate.APIPut    `cmd:"" help:"Replace any resource."`
		Patch  integrate.APIPatch  `cmd:"" help:"Patch any resource."`
		Delete integrate.APIDelete `cmd:"" help:"Delete any resource."`
	} `cmd:"" group:"build" name:"api" help:"Call any path of the API."`

	Config struct {
		Show     configShow     `cmd:"" help:"Show each setting, and where it comes from."`
		Validate configValidate `cmd:"" help:"Check the files of settings."`
		Docs     configDocs     `cmd:"" help:"Print the reference of the settings."`
	} `cmd:"" group:"operate" help:"Settings from the environment and from files."`

	Doctor  operate.DoctorCommand `cmd:"" group:"operate" help:"Check a deployment: what is wrong, and how to fix it."`
	Verify  operate.VerifyCommand `cmd:"" group:"operate" help:"Prove the books: recompute them and compare."`
	Bench   operate.BenchCommand  `cmd:"" group:"operate" help:"Measure the throughput of this machine."`
	Health  healthCommand         `cmd:"" group:"operate" help:"Check that a server is up."`
	Version versionCommand        `cmd:"" group:"operate" help:"Print the version."`

	Completion completionCommand `cmd:"" group:"operate" help:"Print a completion script for a shell."`
	Complete   completeCommand   `cmd:"" hidden:"" passthrough:"" help:"Print completions, for the script."`
}

// groups are the headings under which tenor -h lists commands, in its order.
func groups() []kong.Group {
	return []kong.Group{
		{Key: "start", Title: "Start here:"}, {Key: "trade", Title: "Orders and buyers:"}, {Key: "money", Title: "Money:"}, {Key: "build", Title: "Integrate:"},
		{Key: "sandbox", Title: "Sandbox:"}, {Key: "lender", Title: "For the lender:"}, {Key: "operate", Title: "Operate:"},
	}
}

// helpFlag shows help, examples first, wherever it stands among the arguments.
type helpFlag bool

// BeforeReset is called by the parser as soon as it has read the whole line.
func (helpFlag) BeforeReset(c *kong.Context, a *terminal.App) error {
	if err := c.PrintUsage(false); err != nil {
		return err
	}
	return terminal.ErrHelp
}

// help prints the examples of the selected command, and then its grammar.
func help(a *terminal.App, options kong.HelpOptions, c *kong.Context) error {
	lines := []string{"dev", "orders create --company 1000000001 --amount 1200 --installments 6", "orders capture ord_…", "payments schedule ord_…"}
	if n := c.Selected(); n != nil {
		lines = examplesOf(n)
		for p := n; p != nil; p = p.Parent {
			p.Group = nil // or verbs would stand under the heading of their noun
		}
	}
	if len(lines) > 0 {
		fmt.Fprintln(a.Out, "Examples:")
		for _, l := range lines {
			fmt.Fprintf(a.Out, "  %s %s\n", a.Program, l)
		}
		fmt.Fprintln(a.Out)
	}
	return kong.DefaultHelpPrinter(options, c)
}

// maxExamples is how many examples the help of a noun shows.
const maxExamples = 4

// examplesOf are the examples of a command; of a noun, the first of each of its verbs.
func examplesOf(n *kong.Node) (lines []string) {
	if n.Target.IsValid() && n.Target.CanAddr() {
		if e, ok := n.Target.Addr().Interface().(terminal.Exampled); ok {
			return e.Examples()
		}
	}
	for _, verb := range n.Children {
		if of := examplesOf(verb); len(of) > 0 && !verb.Hidden && len(lines) < maxExamples {
			lines = append(lines, of[0])
		}
	}
	return lines
}

// Vars are the words that help texts of the grammar refer to.
func Vars() kong.Vars {
	return kong.Vars{"workloads": strings.Join(bench.Workloads(), " ")}.CloneWith(terminal.WordTexts())
}

// newParser makes the parser of a grammar, or of a part of it, which fills in what the
// environment and files say.
func newParser(ctx context.Context, a *terminal.App, grammar any) (*kong.Kong, error) {
	said := &settings{}
	parser, err := kong.New(grammar, kong.Name(a.Program), kong.Description("Financing for business buyers: orders, credit lines, schedules, payments and the books behind them."),
		Vars(), kong.ExplicitGroups(groups()), kong.NoDefaultHelp(), kong.Help(func(o kong.HelpOptions, k *kong.Context) error { return help(a, o, k) }), kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Writers(a.Out, a.Err), kong.Bind(a, said), kong.Resolvers(said), kong.BindTo(ctx, (*context.Context)(nil)))
	if err == nil {
		err = said.load(a)
	}
	return parser, err
}

// Run parses one command line, runs it and returns the exit code.
func Run(ctx context.Context, args []string, a *terminal.App) int {
	asJSON := terminal.WantsJSON(args)
	a.Out, a.Err, a.Screen = terminal.Shown{Writer: a.Out}, terminal.Shown{Writer: a.Err}, a.Err
	parser, err := newParser(ctx, a, PartFor(args))
	if err != nil {
		return a.Fail(fmt.Errorf("command line grammar: %w", err), asJSON)
	}
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "help": // tenor help orders create
		args = append(slices.Clone(args[1:]), "--help")
	}
	parsed, err := parser.Parse(args)
	switch {
	case errors.Is(err, terminal.ErrHelp):
		return exit.Done
	case err != nil:
		return a.Fail(misuse(a, err), asJSON)
	}
	a.Command = commandOf(parsed)
	if err := parsed.Run(); err != nil {
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return a.Interrupted(err)
		}
		return a.Fail(err, asJSON)
	}
	return exit.Done
}

// commandOf is the command that was chosen, without its arguments.
func commandOf(parsed *kong.Context) string {
	var words []string
	for word := range strings.FieldsSeq(parsed.Command()) {
		if !strings.HasPrefix(word, "<") && !strings.HasPrefix(word, "[") {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// misuse words what the parser found wrong with the line.
func misuse(a *terminal.App, err error) error {
	var said *exit.Failure
	if errors.As(err, &said) { // of the settings
		return said
	}
	f := &exit.Failure{Code: exit.Usage, Text: err.Error()}
	where := ""
	var wrong *kong.ParseError
	if errors.As(err, &wrong) && wrong.Context != nil {
		if n := wrong.Context.Selected(); n != nil {
			where = " " + n.FullPath()[len(a.Program):]
			where = strings.TrimRight(" "+strings.TrimSpace(where), " ")
		}
	}
	f.Hint = a.Program + where + " -h shows examples"
	return f
}
