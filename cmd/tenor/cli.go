package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"tenor/internal/bench"
)

// cli is the grammar of the command line: nouns, and below them verbs.
type cli struct {
	Help    helpFlag    `short:"h" help:"Show examples, arguments and flags."`
	About   aboutFlag   `name:"version" help:"Print the version."`
	NoColor noColorFlag `name:"no-color" help:"Do not use colors."`

	Dev   devCommand   `cmd:"" group:"start" help:"Start a sandbox with demo data, all in one process."`
	Demo  demoCommand  `cmd:"" group:"start" help:"Run a whole story: a checkout, a bounced debit, a refund, and the books."`
	Serve serveCommand `cmd:"" group:"start" help:"Serve live data."`
	Token tokenCommand `cmd:"" group:"start" help:"Make an access token."`

	Orders struct {
		List       ordersList      `cmd:"" help:"List orders, newest first."`
		Get        orderGet        `cmd:"" help:"Show an order."`
		Create     orderCreate     `cmd:"" help:"Create an order."`
		Update     orderUpdate     `cmd:"" help:"Change an order that is not captured."`
		Authorize  orderAuthorize  `cmd:"" help:"Reserve an order's amount on the credit line."`
		Capture    orderCapture    `cmd:"" help:"Capture an order when goods ship: repayment begins."`
		Partial    orderPartial    `cmd:"" help:"Capture a part of an order."`
		Cancel     orderCancel     `cmd:"" help:"Cancel an order that is not captured."`
		Extend     orderExtend     `cmd:"" help:"Extend an authorization, once."`
		Refund     orderRefund     `cmd:"" help:"Refund a captured order, whole or in part."`
		Payoff     orderPayoff     `cmd:"" help:"Quote the payoff of an order."`
		Explain    orderExplain    `cmd:"" help:"Explain each amount of an order."`
		Events     orderEventsList `cmd:"" help:"List the events of an order."`
		Watch      orderWatch      `cmd:"" help:"Follow the events of an order as they happen."`
		Hold       orderHold       `cmd:"" help:"Put an order on dispute hold, or end the hold (lender)."`
		Autopay    orderAutopay    `cmd:"" help:"Turn autopay on or off for an order."`
		Resume     orderResume     `cmd:"" help:"Resume automatic collection of an order (lender)."`
		Reschedule orderReschedule `cmd:"" help:"Move the due dates of an order, from one installment on (lender)."`
		Reamortize orderReamortize `cmd:"" help:"Spread the unpaid balance over the installments left (lender)."`
		ChargeOff  orderChargeOff  `cmd:"" name:"charge-off" help:"Charge an order off (lender)."`
		Reverse    orderReverse    `cmd:"" name:"reverse-charge-off" help:"Reverse a charge-off (lender)."`
		Fees       struct {
			Waive feeWaive `cmd:"" help:"Waive the unpaid part of a fee (lender)."`
		} `cmd:"" help:"Fees of an order."`
	} `cmd:"" group:"trade" help:"Create, authorize, capture and refund orders."`

	Checkouts struct {
		List     checkoutsList    `cmd:"" help:"List checkouts, newest first."`
		Show     checkoutShow     `cmd:"" help:"Show a checkout."`
		Create   checkoutCreate   `cmd:"" help:"Create a checkout and get its address."`
		Complete checkoutComplete `cmd:"" help:"Authorize the order of a checkout that the buyer has accepted."`
		Expire   checkoutExpire   `cmd:"" help:"End a checkout."`
	} `cmd:"" group:"trade" help:"Hosted checkouts, where a buyer accepts the terms."`

	Applications struct {
		List     applicationsList    `cmd:"" help:"List applications, newest first."`
		Show     applicationShow     `cmd:"" help:"Show an application."`
		Submit   applicationSubmit   `cmd:"" help:"Submit a business's application."`
		Estimate applicationEstimate `cmd:"" help:"Prequalify a business; a no is mailed to the applicant as a notice."`
		Withdraw applicationWithdraw `cmd:"" help:"Withdraw an application for the applicant."`
		Approve  applicationApprove  `cmd:"" help:"Approve an application (lender)."`
		Decline  applicationDecline  `cmd:"" help:"Decline an application (lender)."`
		Request  applicationRequest  `cmd:"" help:"Ask an applicant for documents (lender)."`
		Assign   applicationAssign   `cmd:"" help:"Assign an application to a reviewer (lender)."`
		Notice   applicationNotice   `cmd:"" help:"Show or print the notice of an application (lender)."`
		Sent     applicationSent     `cmd:"" help:"Record that the notice of an application was sent (lender)."`
	} `cmd:"" group:"trade" help:"Applications for a credit line, and decisions on them."`

	Cases struct {
		List    casesList   `cmd:"" help:"List cases, newest first (lender)."`
		Show    caseShow    `cmd:"" help:"Show a case and its notes (lender)."`
		Note    caseAnswer  `cmd:"" help:"Add a note, which the person who opened the case can read (lender)."`
		Resolve caseResolve `cmd:"" help:"Decide a dispute, or close a question (lender)."`
	} `cmd:"" group:"trade" help:"Disputes and questions of buyers and merchants."`

	Companies struct {
		List            companiesList          `cmd:"" help:"List companies."`
		Get             companyGet             `cmd:"" help:"Show a company and its credit line."`
		Create          companyCreate          `cmd:"" help:"Create a company (lender)."`
		Hold            companyHold            `cmd:"" help:"Stop new orders of a company (lender)."`
		Release         companyRelease         `cmd:"" help:"Release a held or suspended company (lender)."`
		Line            companyLine            `cmd:"" help:"Set a company's credit line (lender)."`
		Link            companyLink            `cmd:"" help:"Link a company to a merchant (lender)."`
		Unlink          companyUnlink          `cmd:"" help:"Unlink a company from a merchant (lender)."`
		Close           companyClose           `cmd:"" help:"Close a company for good (lender)."`
		Unfreeze        companyUnfreeze        `cmd:"" help:"Unfreeze the money of a closed company (lender)."`
		Report          companyReport          `cmd:"" help:"Record a bankruptcy or a fraud of a company (lender)."`
		Withdraw        companyWithdrawReport  `cmd:"" name:"withdraw-report" help:"Withdraw a recorded bankruptcy or fraud (lender)."`
		Orders          companyOrders          `cmd:"" help:"List a company's orders, newest first."`
		Payments        companyPayments        `cmd:"" help:"List a company's payments, newest first."`
		Invoices        companyInvoices        `cmd:"" help:"List a company's invoices, newest first."`
		Methods         companyMethods         `cmd:"" help:"List a company's payment methods, newest first."`
		AddMethod       companyAddMethod       `cmd:"" name:"add-method" help:"Add a bank account that a company pays from."`
		VerifyMethod    companyVerifyMethod    `cmd:"" name:"verify-method" help:"Confirm an account by its micro-deposits."`
		VouchMethod     companyVouchMethod     `cmd:"" name:"vouch-method" help:"Vouch for an account, or record the company's consent to it."`
		AuthorizeMethod companyAuthorizeMethod `cmd:"" name:"authorize-method" help:"Record a new authorization of debits."`
		RemoveMethod    companyRemoveMethod    `cmd:"" name:"remove-method" help:"Remove an account, which is never debited again."`
		Autopay         companyAutopay         `cmd:"" help:"Turn a company's autopay on or off."`
		Credits         companyCredits         `cmd:"" help:"List a company's unapplied credit, and why it is held."`
		AskCredit       companyAskCredit       `cmd:"" name:"ask-credit" help:"Request a company's unapplied credit."`
		SendCredit      companySendCredit      `cmd:"" name:"send-credit" help:"Send back a company's unapplied credit now (lender)."`
		Statements      companyStatements      `cmd:"" help:"List a company's statements, or show one (lender)."`
		Agreement       companyAgreement       `cmd:"" help:"Show the master agreement that a company has signed, and who has (lender)."`
		Signed          companySigned          `cmd:"" help:"Record that a company has signed its master agreement on paper (lender)."`
	} `cmd:"" group:"trade" help:"Companies: credit lines, accounts, statements, agreements."`

	People struct {
		List   peopleList   `cmd:"" help:"List the people of a company (lender)."`
		Set    peopleSet    `cmd:"" help:"Invite somebody to act for a company, or change a role (lender)."`
		Remove peopleRemove `cmd:"" help:"End a person's role at a company, or take an invitation back (lender)."`
	} `cmd:"" group:"trade" help:"People who act for a company: roles, limits, invitations."`

	Payments struct {
		List      paymentsList     `cmd:"" help:"List payments, newest first."`
		Get       paymentGet       `cmd:"" help:"Show a payment."`
		Record    paymentRecord    `cmd:"" help:"Record a payment that was received."`
		Schedule  paymentSchedule  `cmd:"" help:"Show the installments of an order."`
		Refund    paymentRefund    `cmd:"" help:"Refund a payment, whole or in part."`
		Owed      paymentsOwed     `cmd:"" help:"List refunds and credit still owed, oldest first (lender)."`
		PayRefund paymentPayRefund `cmd:"" name:"pay-refund" help:"Pay a refund that has not arrived (lender)."`
		Return    paymentReturn    `cmd:"" help:"Return a payment that failed (lender)."`
		Reverse   paymentReverse   `cmd:"" help:"Reverse a debit that was made in error (lender)."`
		Cancel    paymentCancel    `cmd:"" help:"Cancel a payment that has not been sent."`
	} `cmd:"" group:"money" help:"Payments from buyers, and their refunds."`

	Invoices struct {
		List invoicesList `cmd:"" help:"List invoices, newest first."`
		Get  invoiceGet   `cmd:"" help:"Show an invoice."`
	} `cmd:"" group:"money" help:"Invoices of captured orders."`

	Payouts struct {
		List    payoutsList    `cmd:"" help:"List payouts, newest first."`
		Get     payoutGet      `cmd:"" help:"Show a payout with its lines."`
		Export  payoutsExport  `cmd:"" help:"Export payouts, a row for each order."`
		Hold    payoutsHold    `cmd:"" help:"Hold a merchant's payouts (lender)."`
		Release payoutsRelease `cmd:"" help:"Release a merchant's payouts (lender)."`
	} `cmd:"" group:"money" help:"Payouts to merchants."`

	Receipts struct {
		List     receiptsList    `cmd:"" help:"List unidentified receipts, newest first (lender)."`
		Get      receiptGet      `cmd:"" help:"Show a receipt (lender)."`
		Record   receiptRecord   `cmd:"" help:"Record an unidentified receipt (lender)."`
		Identify receiptIdentify `cmd:"" help:"Identify a receipt: it becomes a payment (lender)."`
		Return   receiptReturn   `cmd:"" help:"Record that a receipt was sent back (lender)."`
	} `cmd:"" group:"money" help:"Unidentified receipts."`

	Transfers struct {
		List    transfersList   `cmd:"" help:"List transfers of banks and card processors, newest first (lender)."`
		SameDay transferSameDay `cmd:"" name:"same-day" help:"Send a waiting transfer by same-day settlement (lender)."`
	} `cmd:"" group:"money" help:"Transfers sent to banks and card processors."`

	Reconcile reconcileCommand `cmd:"" group:"money" help:"Reconcile your own list of orders with the books."`

	Ledger struct {
		Balances     ledgerBalances  `cmd:"" help:"Show the balances of a company or a merchant (lender)."`
		Entries      ledgerEntries   `cmd:"" help:"List every posting of an order."`
		TrialBalance ledgerTrial     `cmd:"" name:"trial-balance" help:"Show the balance of every account (lender)."`
		Export       ledgerExport    `cmd:"" help:"Export the books as CSV, for hledger or as JSON (lender)."`
		Fund         ledgerFund      `cmd:"" help:"Record cash that the lender puts in or takes out (lender)."`
		Close        ledgerClose     `cmd:"" help:"Close a month of the books, or list those that are closed (lender)."`
		Reconcile    ledgerReconcile `cmd:"" help:"Reconcile the bank's statement with account 1000 (lender)."`
		Matches      ledgerMatches   `cmd:"" help:"List the matches of bank lines and entries (lender)."`
		Match        ledgerMatch     `cmd:"" help:"Match bank lines with entries (lender)."`
		Unmatch      ledgerUnmatch   `cmd:"" help:"Undo a match (lender)."`
		Assign       ledgerAssign    `cmd:"" help:"Assign a bank line or an entry to somebody (lender)."`
		BankNotices  bankNoticesList `cmd:"" name:"bank-notices" help:"List bank notices that need review (lender)."`
		BankNotice   bankNoticeGet   `cmd:"" name:"bank-notice" help:"Show a bank notice (lender)."`
		Review       bankReview      `cmd:"" help:"Record what was done about a bank notice (lender)."`
	} `cmd:"" group:"money" help:"The double-entry ledger and the bank's statement."`

	Webhooks struct {
		List       webhooksList      `cmd:"" help:"List endpoints, newest first."`
		Get        webhookGet        `cmd:"" help:"Show an endpoint."`
		Create     webhookCreate     `cmd:"" help:"Create an endpoint."`
		Update     webhookUpdate     `cmd:"" help:"Change an endpoint."`
		Delete     webhookDelete     `cmd:"" help:"Delete an endpoint."`
		Rotate     webhookRotate     `cmd:"" help:"Give an endpoint a new signing secret."`
		Test       webhookTest       `cmd:"" help:"Send an endpoint a test event."`
		Deliveries webhookDeliveries `cmd:"" help:"List an endpoint's deliveries, or show one with its attempts."`
		Redeliver  webhookRedeliver  `cmd:"" help:"Redeliver an event."`
		Replay     webhookReplay     `cmd:"" help:"Replay the events of a span of time."`
		Listen     webhookListen     `cmd:"" help:"Forward events to a receiver on this machine."`
	} `cmd:"" group:"build" help:"Endpoints that receive events."`

	Events struct {
		List  eventsList `cmd:"" help:"List events, oldest first."`
		Types eventTypes `cmd:"" help:"List the event types."`
		Tail  eventsTail `cmd:"" help:"Follow events as they happen."`
		Get   eventGet   `cmd:"" help:"Show an event."`
	} `cmd:"" group:"build" help:"Events: list them, follow them."`

	Requests struct {
		List requestsList `cmd:"" help:"List API requests, newest first."`
		Tail requestsTail `cmd:"" help:"Follow API requests as they are answered."`
		Get  requestsGet  `cmd:"" help:"Show a request with its bodies, masked."`
	} `cmd:"" group:"build" help:"The request log: list API requests, follow them."`

	Mail struct {
		List mailCommand `cmd:"" default:"withargs" help:"Show the newest messages; with --follow, also new ones as they arrive (sandbox)."`
		Show mailShow    `cmd:"" help:"Show a message (sandbox)."`
	} `cmd:"" group:"sandbox" help:"The mailbox of a sandbox: codes, links, notices."`

	Clock struct {
		Show    clockShow    `cmd:"" help:"Show the business clock and the next due event."`
		Advance clockAdvance `cmd:"" help:"Advance the clock, day by day."`
		Freeze  clockFreeze  `cmd:"" help:"Stop the clock."`
		Resume  clockResume  `cmd:"" help:"Let the clock run at real speed."`
	} `cmd:"" group:"sandbox" help:"The business clock of a sandbox."`

	Bank struct {
		FailNext bankFailNext `cmd:"" name:"fail-next" help:"Make the next debit fail."`
		Return   bankReturn   `cmd:"" help:"Return the debit of a payment."`
		Settle   bankSettle   `cmd:"" help:"Advance the clock until everything in transit has settled."`
		Notice   bankNotice   `cmd:"" help:"Send a notification of change."`
	} `cmd:"" group:"sandbox" help:"The simulated bank of a sandbox."`

	Sandbox struct {
		Company   sandboxCompany      `cmd:"" help:"Create a company that can buy."`
		Account   sandboxAccount      `cmd:"" help:"Add a test account whose debits succeed or fail as chosen."`
		Snapshot  sandboxSnapshotMake `cmd:"" help:"Take a snapshot: books, clock and bank."`
		Snapshots sandboxSnapshots    `cmd:"" help:"List the snapshots."`
		Restore   sandboxRestore      `cmd:"" help:"Restore a snapshot."`
		Reset     sandboxReset        `cmd:"" help:"Empty the sandbox."`
		Seed      sandboxSeed         `cmd:"" help:"Seed the demo data."`
		Mail      struct {
			List mailList `cmd:"" help:"List messages, newest first."`
			Get  mailGet  `cmd:"" help:"Show a message."`
		} `cmd:"" help:"What would have been sent by mail."`
	} `cmd:"" group:"sandbox" help:"Test data, snapshots and reset of a sandbox."`

	Scenarios struct {
		List scenariosList `cmd:"" help:"List the scenarios."`
		Run  scenariosRun  `cmd:"" help:"Run scenarios and check the final state."`
	} `cmd:"" group:"sandbox" help:"Scenarios that run in a sandbox."`

	Trigger triggerCommand `cmd:"" group:"sandbox" help:"Trigger an event with real objects (sandbox)."`

	Clients struct {
		List   clientsList  `cmd:"" help:"List API clients (lender)."`
		Get    clientGet    `cmd:"" help:"Show an API client (lender)."`
		Create clientCreate `cmd:"" help:"Create an API client (lender)."`
		Roll   clientRoll   `cmd:"" help:"Give an API client a new secret (lender)."`
		Revoke clientRevoke `cmd:"" help:"Revoke an API client and its tokens (lender)."`
	} `cmd:"" group:"lender" help:"API clients: credentials, scopes, secrets."`

	Merchants struct {
		List    merchantsList  `cmd:"" help:"List the merchants (lender)."`
		Get     merchantGet    `cmd:"" help:"Show a merchant (lender)."`
		Create  merchantCreate `cmd:"" help:"Create a merchant (lender)."`
		Account struct {
			Set     merchantPayAccount     `cmd:"" help:"Set a merchant's bank account and who is notified of changes (lender)."`
			Confirm merchantConfirmAccount `cmd:"" help:"Confirm a change that another client of the lender has asked for (lender)."`
			Cancel  merchantCancelAccount  `cmd:"" help:"Cancel a change before it takes effect (lender)."`
		} `cmd:"" help:"Where a merchant is paid."`
		Shop        merchantShop        `cmd:"" help:"Set a merchant's shop: the origins its checkouts may return to (lender)."`
		Limits      merchantLimits      `cmd:"" help:"Set the exposure limits of a merchant (lender)."`
		Remit       merchantRemit       `cmd:"" help:"Record a remittance of money that a merchant collected (lender)."`
		PayClawback merchantPayClawback `cmd:"" name:"pay-clawback" help:"Record a merchant's payment of clawbacks (lender)."`
		Programme   merchantProgramme   `cmd:"" help:"List the versions of a merchant's terms, or add one (lender)."`
	} `cmd:"" group:"lender" help:"Merchants: terms, accounts, shops, limits."`

	Alarms alarmsCommand `cmd:"" group:"lender" help:"List what needs attention (lender)."`

	Audit auditCommand `cmd:"" group:"lender" help:"List the audit log: what was done, by whom and why (lender)."`

	Screenings struct {
		List    screeningsList   `cmd:"" help:"List sanctions screenings with a possible match, newest first (lender)."`
		Get     screeningGet     `cmd:"" help:"Show a screening with what it found (lender)."`
		Confirm screeningConfirm `cmd:"" help:"Confirm a match (lender)."`
		Clear   screeningClear   `cmd:"" help:"Clear a match (lender)."`
	} `cmd:"" group:"lender" help:"Sanctions screenings."`

	Notices struct {
		List noticesList `cmd:"" help:"List notices of adverse actions, newest first (lender)."`
		Get  noticeGet   `cmd:"" help:"Show a notice, or print it (lender)."`
		Sent noticeSent  `cmd:"" help:"Record that a notice was sent (lender)."`
		Ask  noticeAsk   `cmd:"" help:"Record a company's request for the reasons (lender)."`
	} `cmd:"" group:"lender" help:"Notices of adverse actions."`

	Lender struct {
		Show lenderShow `cmd:"" help:"Show the lender's settings and the state of its books (lender)."`
		Set  lenderSet  `cmd:"" help:"Change the lender's settings (lender)."`
	} `cmd:"" group:"lender" help:"Settings of the lender."`

	DB struct {
		Migrate dbMigrate `cmd:"" help:"Run the missing migrations."`
		Status  dbStatus  `cmd:"" help:"List the migrations and which have run."`
	} `cmd:"" group:"operate" name:"db" help:"The schema of the database."`

	Keys struct {
		Create keysCreate `cmd:"" help:"Create a key file."`
		Add    keysAdd    `cmd:"" help:"Add a new key to a key file."`
		Rotate keysRotate `cmd:"" help:"Re-encrypt with the newest key."`
		Status keysStatus `cmd:"" help:"Show which keys are still needed."`
		Drop   keysDrop   `cmd:"" name:"drop-old" help:"Remove keys that nothing needs any more."`
		Public keysPublic `cmd:"" help:"Print the public keys that verify signed heads."`
	} `cmd:"" group:"operate" help:"Keys that encrypt secrets and sign the audit log."`

	API struct {
		Get    apiGet    `cmd:"" help:"Read any resource."`
		Post   apiPost   `cmd:"" help:"Post to any path."`
		Put    apiPut    `cmd:"" help:"Replace any resource."`
		Patch  apiPatch  `cmd:"" help:"Patch any resource."`
		Delete apiDelete `cmd:"" help:"Delete any resource."`
	} `cmd:"" group:"build" name:"api" help:"Call any path of the API."`

	Doctor  doctorCommand  `cmd:"" group:"operate" help:"Check a deployment: what is wrong, and how to fix it."`
	Verify  verifyCommand  `cmd:"" group:"operate" help:"Prove the books: recompute them and compare."`
	Bench   benchCommand   `cmd:"" group:"operate" help:"Measure the throughput of this machine."`
	Health  healthCommand  `cmd:"" group:"operate" help:"Check that a server is up."`
	Version versionCommand `cmd:"" group:"operate" help:"Print the version."`

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

// exampled is a command with examples: what follows the program's name.
type exampled interface{ Examples() []string }

// errHelp says that help was shown instead of running anything.
var errHelp = errors.New("help was shown")

// helpFlag shows help, examples first, wherever it stands among the arguments.
type helpFlag bool

// BeforeReset is called by the parser as soon as it has read the whole line.
func (helpFlag) BeforeReset(c *kong.Context, a *app) error {
	if err := c.PrintUsage(false); err != nil {
		return err
	}
	return errHelp
}

// help prints the examples of the selected command, and then its grammar.
func help(a *app, options kong.HelpOptions, c *kong.Context) error {
	lines := []string{"dev", "orders create --company 1000000001 --amount 1200 --installments 6", "orders capture ord_…", "payments schedule ord_…"}
	if n := c.Selected(); n != nil {
		lines = examplesOf(n)
		for p := n; p != nil; p = p.Parent {
			p.Group = nil // or verbs would stand under the heading of their noun
		}
	}
	if len(lines) > 0 {
		fmt.Fprintln(a.out, "Examples:")
		for _, l := range lines {
			fmt.Fprintf(a.out, "  %s %s\n", a.program, l)
		}
		fmt.Fprintln(a.out)
	}
	return kong.DefaultHelpPrinter(options, c)
}

// maxExamples is how many examples the help of a noun shows.
const maxExamples = 4

// examplesOf are the examples of a command; of a noun, the first of each of its verbs.
func examplesOf(n *kong.Node) (lines []string) {
	if n.Target.IsValid() && n.Target.CanAddr() {
		if e, ok := n.Target.Addr().Interface().(exampled); ok {
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

// run parses one command line, runs it and returns the exit code.
func run(ctx context.Context, args []string, a *app) int {
	asJSON := wantsJSON(args)
	a.out, a.err, a.screen = shown{a.out}, shown{a.err}, a.err
	var grammar cli
	parser, err := kong.New(&grammar, kong.Name(a.program), kong.Description("Financing for business buyers: orders, credit lines, schedules, payments and the books behind them."),
		kong.Vars{"workloads": strings.Join(bench.Workloads(), " ")}, kong.ExplicitGroups(groups()), kong.NoDefaultHelp(), kong.Help(func(o kong.HelpOptions, k *kong.Context) error { return help(a, o, k) }), kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Writers(a.out, a.err), kong.Bind(a), kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		return a.fail(fmt.Errorf("command line grammar: %w", err), asJSON)
	}
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "help": // tenor help orders create
		args = append(slices.Clone(args[1:]), "--help")
	}
	parsed, err := parser.Parse(args)
	switch {
	case errors.Is(err, errHelp):
		return exitDone
	case err != nil:
		return a.fail(misuse(a, err), asJSON)
	}
	a.command = commandOf(parsed)
	if err := parsed.Run(); err != nil {
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return a.interrupted(err)
		}
		return a.fail(err, asJSON)
	}
	return exitDone
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
func misuse(a *app, err error) error {
	f := &failure{code: exitUsage, text: err.Error()}
	where := ""
	var wrong *kong.ParseError
	if errors.As(err, &wrong) && wrong.Context != nil {
		if n := wrong.Context.Selected(); n != nil {
			where = " " + n.FullPath()[len(a.program):]
			where = strings.TrimRight(" "+strings.TrimSpace(where), " ")
		}
	}
	f.hint = a.program + where + " -h shows examples"
	return f
}

// wantsJSON looks for --json before the line is parsed, so that even a wrong line
// is answered in the form that was asked for.
func wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// output is how a command prints its result.
type output struct {
	JSON  bool `name:"json" help:"Print the server's document, or errors as problem documents."`
	Plain bool `help:"Print one record a line, with tabs between its fields."`
	Quiet bool `short:"q" help:"Print keys only."`
}

// say prints a message for people; with --json or -q there are none.
func (o output) say(a *app, format string, args ...any) {
	if !o.JSON && !o.Quiet {
		fmt.Fprintf(a.err, format+"\n", args...)
	}
}

// document prints one JSON document.
func document(w io.Writer, text []byte) error {
	text = escaped(text)
	if len(text) == 0 || text[len(text)-1] != '\n' {
		text = append(slices.Clip(text), '\n')
	}
	_, err := w.Write(text)
	return err
}
