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
	NoColor noColorFlag `name:"no-color" help:"Show no colours."`

	Dev     devCommand     `cmd:"" help:"Start everything in one process, with demo data."`
	Demo    demoCommand    `cmd:"" help:"Play a story: a checkout, a bounced debit, a refund, and the books."`
	Serve   serveCommand   `cmd:"" help:"Serve live data."`
	Token   tokenCommand   `cmd:"" help:"Make an access token."`
	Doctor  doctorCommand  `cmd:"" help:"Look at a deployment: what is wrong with it, and what to do."`
	Verify  verifyCommand  `cmd:"" help:"Recompute the books and compare them with what is stored."`
	Bench   benchCommand   `cmd:"" help:"Measure what this machine can do, with servers of its own."`
	Health  healthCommand  `cmd:"" help:"Ask a server whether it is up."`
	Version versionCommand `cmd:"" help:"Print the version."`

	Orders struct {
		List       ordersList      `cmd:"" help:"List orders, newest first."`
		Get        orderGet        `cmd:"" help:"Show an order."`
		Create     orderCreate     `cmd:"" help:"Create an order."`
		Update     orderUpdate     `cmd:"" help:"Change an order that is not captured."`
		Authorize  orderAuthorize  `cmd:"" help:"Reserve an order's amount on the credit line."`
		Capture    orderCapture    `cmd:"" help:"Say that the goods were shipped: repayment begins."`
		Partial    orderPartial    `cmd:"" help:"Capture a part of an order."`
		Cancel     orderCancel     `cmd:"" help:"Cancel an order that is not captured."`
		Extend     orderExtend     `cmd:"" help:"Extend an authorization, once."`
		Refund     orderRefund     `cmd:"" help:"Refund a captured order, whole or in part."`
		Payoff     orderPayoff     `cmd:"" help:"Quote what pays an order off."`
		Explain    orderExplain    `cmd:"" help:"Show where each amount of an order comes from."`
		Events     orderEventsList `cmd:"" help:"List what happened to an order."`
		Watch      orderWatch      `cmd:"" help:"Tell what happens to an order as it happens."`
		Hold       orderHold       `cmd:"" help:"Put an order on dispute hold, or end the hold (lender)."`
		Autopay    orderAutopay    `cmd:"" help:"Let the company's autopay debit this order, or not."`
		Resume     orderResume     `cmd:"" help:"Let autopay collect again what was left to a person (lender)."`
		Reschedule orderReschedule `cmd:"" help:"Move the due dates of an order from an installment on (lender)."`
		Reamortize orderReamortize `cmd:"" help:"Spread what is unpaid of an order over the installments left (lender)."`
		ChargeOff  orderChargeOff  `cmd:"" name:"charge-off" help:"Charge an order off (lender)."`
		Reverse    orderReverse    `cmd:"" name:"reverse-charge-off" help:"Let an order be as if it had never been charged off (lender)."`
		Fees       struct {
			Waive feeWaive `cmd:"" help:"Waive what is unpaid of a fee (lender)."`
		} `cmd:"" help:"Fees of an order."`
	} `cmd:"" help:"Financed purchases."`

	Checkouts struct {
		List     checkoutsList    `cmd:"" help:"List checkouts, newest first."`
		Show     checkoutShow     `cmd:"" help:"Show a checkout."`
		Create   checkoutCreate   `cmd:"" help:"Make a checkout, to which a buyer is sent."`
		Complete checkoutComplete `cmd:"" help:"Authorize the order of a checkout that the buyer has accepted."`
		Expire   checkoutExpire   `cmd:"" help:"End a checkout."`
	} `cmd:"" help:"Orders whose terms a buyer is to accept."`

	Applications struct {
		List     applicationsList    `cmd:"" help:"List applications, newest first."`
		Show     applicationShow     `cmd:"" help:"Show an application."`
		Submit   applicationSubmit   `cmd:"" help:"Submit a business's application."`
		Estimate applicationEstimate `cmd:"" help:"Estimate a business's line; the applicant of a no is mailed a notice."`
		Withdraw applicationWithdraw `cmd:"" help:"Withdraw an application at the applicant's word."`
		Approve  applicationApprove  `cmd:"" help:"Approve an application (lender)."`
		Decline  applicationDecline  `cmd:"" help:"Decline an application (lender)."`
		Request  applicationRequest  `cmd:"" help:"Ask an applicant for documents (lender)."`
		Assign   applicationAssign   `cmd:"" help:"Say who looks at an application (lender)."`
		Notice   applicationNotice   `cmd:"" help:"Show or print the notice that an application owes (lender)."`
		Sent     applicationSent     `cmd:"" help:"Record that the notice of an application was sent (lender)."`
	} `cmd:"" help:"Businesses that ask for a line."`

	Cases struct {
		List    casesList   `cmd:"" help:"List cases, newest first (lender)."`
		Show    caseShow    `cmd:"" help:"Show a case with what was said in it (lender)."`
		Note    caseAnswer  `cmd:"" help:"Add a note, which who has opened it reads (lender)."`
		Resolve caseResolve `cmd:"" help:"Decide a dispute, or close a question that is answered (lender)."`
	} `cmd:"" help:"Disputes and questions of buyers and merchants."`

	Mail struct {
		List mailCommand `cmd:"" default:"withargs" help:"Show the newest messages, and with --follow what comes (sandbox)."`
		Show mailShow    `cmd:"" help:"Show a message (sandbox)."`
	} `cmd:"" help:"What a sandbox has sent by mail: codes, links, notices."`

	Companies struct {
		List            companiesList          `cmd:"" help:"List companies."`
		Get             companyGet             `cmd:"" help:"Show a company and its credit line."`
		Create          companyCreate          `cmd:"" help:"Create a company (lender)."`
		Hold            companyHold            `cmd:"" help:"Stop new orders of a company (lender)."`
		Release         companyRelease         `cmd:"" help:"Let a held or suspended company buy again (lender)."`
		Line            companyLine            `cmd:"" help:"Set a company's credit line (lender)."`
		Link            companyLink            `cmd:"" help:"Let a merchant use a company (lender)."`
		Unlink          companyUnlink          `cmd:"" help:"Let a merchant no longer use a company (lender)."`
		Close           companyClose           `cmd:"" help:"Close a company for ever (lender)."`
		Unfreeze        companyUnfreeze        `cmd:"" help:"Let the money of a closed company move again (lender)."`
		Report          companyReport          `cmd:"" help:"Record a bankruptcy or a fraud of a company (lender)."`
		Withdraw        companyWithdrawReport  `cmd:"" name:"withdraw-report" help:"Withdraw what was recorded of a company (lender)."`
		Orders          companyOrders          `cmd:"" help:"List a company's orders, newest first."`
		Payments        companyPayments        `cmd:"" help:"List a company's payments, newest first."`
		Invoices        companyInvoices        `cmd:"" help:"List a company's invoices, newest first."`
		Methods         companyMethods         `cmd:"" help:"List a company's payment methods, newest first."`
		AddMethod       companyAddMethod       `cmd:"" name:"add-method" help:"Add a bank account that a company pays from."`
		VerifyMethod    companyVerifyMethod    `cmd:"" name:"verify-method" help:"Name the micro-deposits that prove an account."`
		VouchMethod     companyVouchMethod     `cmd:"" name:"vouch-method" help:"Vouch for an account, or record the company's consent to it."`
		AuthorizeMethod companyAuthorizeMethod `cmd:"" name:"authorize-method" help:"Record a new authorization of debits."`
		RemoveMethod    companyRemoveMethod    `cmd:"" name:"remove-method" help:"Let an account never be debited again."`
		Autopay         companyAutopay         `cmd:"" help:"Debit a company's installments by themselves, or not."`
		Credits         companyCredits         `cmd:"" help:"List a company's unapplied credit, and what it waits for."`
		AskCredit       companyAskCredit       `cmd:"" name:"ask-credit" help:"Ask for a company's unapplied credit."`
		SendCredit      companySendCredit      `cmd:"" name:"send-credit" help:"Send a company's unapplied credit back now (lender)."`
		Statements      companyStatements      `cmd:"" help:"List a company's months, or show the statement of one (lender)."`
	} `cmd:"" help:"Approved buyers."`

	Payments struct {
		List      paymentsList     `cmd:"" help:"List payments, newest first."`
		Get       paymentGet       `cmd:"" help:"Show a payment."`
		Record    paymentRecord    `cmd:"" help:"Record money that was received."`
		Schedule  paymentSchedule  `cmd:"" help:"Show the installments of an order."`
		Refund    paymentRefund    `cmd:"" help:"Give back a payment, whole or in part."`
		Owed      paymentsOwed     `cmd:"" help:"List what is owed of refunds and credit sent back, the longest owed first (lender)."`
		PayRefund paymentPayRefund `cmd:"" name:"pay-refund" help:"Pay a refund that has not arrived (lender)."`
		Return    paymentReturn    `cmd:"" help:"Take back a payment that did not hold (lender)."`
		Reverse   paymentReverse   `cmd:"" help:"Send back a debit that was an error (lender)."`
		Cancel    paymentCancel    `cmd:"" help:"Cancel a payment that was not sent."`
	} `cmd:"" help:"Money received."`

	Invoices struct {
		List invoicesList `cmd:"" help:"List invoices, newest first."`
		Get  invoiceGet   `cmd:"" help:"Show an invoice."`
	} `cmd:"" help:"What captured orders ask of their buyers."`

	Payouts struct {
		List    payoutsList    `cmd:"" help:"List payouts, newest first."`
		Get     payoutGet      `cmd:"" help:"Show a payout with its lines."`
		Export  payoutsExport  `cmd:"" help:"Export payouts, a row for each order."`
		Hold    payoutsHold    `cmd:"" help:"Keep a merchant's payouts back (lender)."`
		Release payoutsRelease `cmd:"" help:"Let a merchant's payouts go (lender)."`
	} `cmd:"" help:"What merchants are paid."`

	Receipts struct {
		List     receiptsList    `cmd:"" help:"List money of which nobody knew whose it is, newest first (lender)."`
		Get      receiptGet      `cmd:"" help:"Show a receipt (lender)."`
		Record   receiptRecord   `cmd:"" help:"Record money of which nobody knows whose it is (lender)."`
		Identify receiptIdentify `cmd:"" help:"Say whose a receipt was: it becomes a payment (lender)."`
		Return   receiptReturn   `cmd:"" help:"Record that a receipt was sent back (lender)."`
	} `cmd:"" help:"Money that nobody can place."`

	Transfers struct {
		List    transfersList   `cmd:"" help:"List transfers of banks and card processors, newest first (lender)."`
		SameDay transferSameDay `cmd:"" name:"same-day" help:"Let a transfer that waits for today's file settle today (lender)."`
	} `cmd:"" help:"Instructions to banks and card processors."`

	Reconcile reconcileCommand `cmd:"" help:"Compare your own list of orders with the books."`

	Ledger struct {
		Balances     ledgerBalances  `cmd:"" help:"Show the balances of a company or a merchant (lender)."`
		Entries      ledgerEntries   `cmd:"" help:"List every posting of an order."`
		TrialBalance ledgerTrial     `cmd:"" name:"trial-balance" help:"Show the balance of every account (lender)."`
		Export       ledgerExport    `cmd:"" help:"Export the books as CSV, for hledger or as JSON (lender)."`
		Fund         ledgerFund      `cmd:"" help:"Record cash that the lender puts in or takes out (lender)."`
		Close        ledgerClose     `cmd:"" help:"Close a month of the books, or list those that are closed (lender)."`
		Reconcile    ledgerReconcile `cmd:"" help:"Hold the bank's statement against account 1000 (lender)."`
		Matches      ledgerMatches   `cmd:"" help:"List what the bank's lines were found to be (lender)."`
		Match        ledgerMatch     `cmd:"" help:"Say which entries lines of the bank are (lender)."`
		Unmatch      ledgerUnmatch   `cmd:"" help:"Undo a match (lender)."`
		Assign       ledgerAssign    `cmd:"" help:"Say who sees to a line of the bank or an entry (lender)."`
		BankNotices  bankNoticesList `cmd:"" name:"bank-notices" help:"List what banks said and was left to a person (lender)."`
		BankNotice   bankNoticeGet   `cmd:"" name:"bank-notice" help:"Show what a bank said (lender)."`
		Review       bankReview      `cmd:"" help:"Say what was done about what a bank said (lender)."`
	} `cmd:"" help:"The books."`

	Webhooks struct {
		List       webhooksList      `cmd:"" help:"List endpoints, newest first."`
		Get        webhookGet        `cmd:"" help:"Show an endpoint."`
		Create     webhookCreate     `cmd:"" help:"Give events an address to go to."`
		Update     webhookUpdate     `cmd:"" help:"Change an endpoint."`
		Delete     webhookDelete     `cmd:"" help:"Delete an endpoint."`
		Rotate     webhookRotate     `cmd:"" help:"Give an endpoint a new signing secret."`
		Test       webhookTest       `cmd:"" help:"Send an endpoint a test event."`
		Deliveries webhookDeliveries `cmd:"" help:"List an endpoint's deliveries, or show one with its attempts."`
		Redeliver  webhookRedeliver  `cmd:"" help:"Send the event of a delivery again."`
		Replay     webhookReplay     `cmd:"" help:"Send again what happened in a span of time."`
		Listen     webhookListen     `cmd:"" help:"Pass events on to a receiver on this machine."`
	} `cmd:"" help:"Where events are sent."`

	Events struct {
		List  eventsList `cmd:"" help:"List events, oldest first."`
		Types eventTypes `cmd:"" help:"List the event types."`
		Tail  eventsTail `cmd:"" help:"Tell events as they come."`
		Get   eventGet   `cmd:"" help:"Show an event."`
	} `cmd:"" help:"What happened."`

	Requests struct {
		List requestsList `cmd:"" help:"List calls of the API, newest first."`
		Tail requestsTail `cmd:"" help:"Tell calls of the API as they come."`
		Get  requestsGet  `cmd:"" help:"Show a call with its bodies, masked."`
	} `cmd:"" help:"The log of the calls of the API."`

	Clock struct {
		Show    clockShow    `cmd:"" help:"Show the business clock, and what is due next."`
		Advance clockAdvance `cmd:"" help:"Play the time until a moment, day by day."`
		Freeze  clockFreeze  `cmd:"" help:"Stop the clock."`
		Resume  clockResume  `cmd:"" help:"Let the clock run at real speed."`
	} `cmd:"" help:"The business clock of a sandbox."`

	Bank struct {
		FailNext bankFailNext `cmd:"" name:"fail-next" help:"Let the next debit come back."`
		Return   bankReturn   `cmd:"" help:"Let the debit of a payment come back."`
		Settle   bankSettle   `cmd:"" help:"Move the clock until all that is on its way has settled."`
		Notice   bankNotice   `cmd:"" help:"Let the bank send a notification of change."`
	} `cmd:"" help:"The bank of a sandbox."`

	Sandbox struct {
		Company   sandboxCompany      `cmd:"" help:"Make a ready company."`
		Account   sandboxAccount      `cmd:"" help:"Add an account to a company whose debits do what they are told."`
		Snapshot  sandboxSnapshotMake `cmd:"" help:"Copy the whole sandbox: books, clock and bank."`
		Snapshots sandboxSnapshots    `cmd:"" help:"List the copies of the sandbox."`
		Restore   sandboxRestore      `cmd:"" help:"Put a copy in the place of the sandbox."`
		Reset     sandboxReset        `cmd:"" help:"Empty the sandbox."`
		Seed      sandboxSeed         `cmd:"" help:"Make the demo data."`
		Mail      struct {
			List mailList `cmd:"" help:"List what would have been sent by mail, newest first."`
			Get  mailGet  `cmd:"" help:"Show a message that would have been sent."`
		} `cmd:"" help:"What would have been sent by mail."`
	} `cmd:"" help:"What a sandbox makes for tests, and copies of it."`

	Scenarios struct {
		List scenariosList `cmd:"" help:"List the stories that can be played."`
		Run  scenariosRun  `cmd:"" help:"Play stories, and hold their end against their statement."`
	} `cmd:"" help:"Stories of a sandbox."`

	Trigger triggerCommand `cmd:"" help:"Make what causes an event of a type (sandbox)."`

	Clients struct {
		List   clientsList  `cmd:"" help:"List API clients (lender)."`
		Get    clientGet    `cmd:"" help:"Show an API client (lender)."`
		Create clientCreate `cmd:"" help:"Create an API client (lender)."`
		Roll   clientRoll   `cmd:"" help:"Give an API client a new secret (lender)."`
		Revoke clientRevoke `cmd:"" help:"End an API client and its tokens (lender)."`
	} `cmd:"" help:"Programs that call the API."`

	Merchants struct {
		List    merchantsList  `cmd:"" help:"List the merchants (lender)."`
		Get     merchantGet    `cmd:"" help:"Show a merchant (lender)."`
		Create  merchantCreate `cmd:"" help:"Create a merchant (lender)."`
		Account struct {
			Set     merchantPayAccount     `cmd:"" help:"Set where a merchant is paid, and who is told when that is to change (lender)."`
			Confirm merchantConfirmAccount `cmd:"" help:"Confirm a change that another client of the lender has asked for (lender)."`
			Cancel  merchantCancelAccount  `cmd:"" help:"End a change before it has taken effect (lender)."`
		} `cmd:"" help:"Where a merchant is paid."`
		Shop        merchantShop        `cmd:"" help:"Set where a merchant sells: its checkouts lead nowhere else (lender)."`
		Limits      merchantLimits      `cmd:"" help:"Set what the lender may stand to lose by a merchant (lender)."`
		Remit       merchantRemit       `cmd:"" help:"Record money that a merchant has sent for what it had collected (lender)."`
		PayClawback merchantPayClawback `cmd:"" name:"pay-clawback" help:"Record money that a merchant has sent for clawbacks (lender)."`
		Programme   merchantProgramme   `cmd:"" help:"List the versions of a merchant's terms, or add one (lender)."`
	} `cmd:"" help:"Shops whose sales are financed."`

	Alarms alarmsCommand `cmd:"" help:"List what waits for a person (lender)."`

	Audit auditCommand `cmd:"" help:"List what was done, by whom and why (lender)."`

	Screenings struct {
		List    screeningsList   `cmd:"" help:"List names that resemble one on a sanctions list, newest first (lender)."`
		Get     screeningGet     `cmd:"" help:"Show a screening with what it found (lender)."`
		Confirm screeningConfirm `cmd:"" help:"Say that a name is the listed one (lender)."`
		Clear   screeningClear   `cmd:"" help:"Say that a name is not the listed one (lender)."`
	} `cmd:"" help:"Names that resemble listed ones."`

	Notices struct {
		List noticesList `cmd:"" help:"List notices of adverse actions, newest first (lender)."`
		Get  noticeGet   `cmd:"" help:"Show a notice, or print it (lender)."`
		Sent noticeSent  `cmd:"" help:"Record that a notice was sent (lender)."`
		Ask  noticeAsk   `cmd:"" help:"Record that a company has asked for the reasons of an action (lender)."`
	} `cmd:"" help:"What companies must be told of."`

	Lender struct {
		Show lenderShow `cmd:"" help:"Show the lender's settings, and how far its books are (lender)."`
		Set  lenderSet  `cmd:"" help:"Change the lender's settings (lender)."`
	} `cmd:"" help:"The lender itself."`

	DB struct {
		Migrate dbMigrate `cmd:"" help:"Bring the schema of a database up to date."`
		Status  dbStatus  `cmd:"" help:"List the migrations of a database's schema."`
	} `cmd:"" name:"db" help:"The database itself."`

	Keys struct {
		Create keysCreate `cmd:"" help:"Make a key file."`
		Add    keysAdd    `cmd:"" help:"Put a new key before those of a key file."`
		Rotate keysRotate `cmd:"" help:"Seal with the newest key what older ones have sealed."`
		Status keysStatus `cmd:"" help:"Show which keys are still needed."`
		Drop   keysDrop   `cmd:"" name:"drop-old" help:"Take keys that nothing needs any more out of the key file."`
		Public keysPublic `cmd:"" help:"Print the public keys that verify signed heads."`
	} `cmd:"" help:"The key that seals secrets in the database, and signs its audit chain."`

	API struct {
		Get    apiGet    `cmd:"" help:"Read any resource."`
		Post   apiPost   `cmd:"" help:"Post to any path."`
		Patch  apiPatch  `cmd:"" help:"Patch any resource."`
		Delete apiDelete `cmd:"" help:"Delete any resource."`
	} `cmd:"" name:"api" help:"Call any path of the API."`

	Completion completionCommand `cmd:"" help:"Print a script that completes commands, flags and keys in a shell."`
	Complete   completeCommand   `cmd:"" hidden:"" passthrough:"" help:"Print what can stand at the cursor, for the script."`
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
func (a *app) help(options kong.HelpOptions, c *kong.Context) error {
	lines := []string{"dev", "orders create --company 1000000001 --amount 1200 --installments 6", "orders capture ord_…", "payments schedule ord_…"}
	if n := c.Selected(); n != nil {
		lines = nil
		if n.Target.IsValid() && n.Target.CanAddr() {
			if e, ok := n.Target.Addr().Interface().(exampled); ok {
				lines = e.Examples()
			}
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

// run parses one command line, runs it and returns the exit code.
func run(ctx context.Context, args []string, a *app) int {
	asJSON := wantsJSON(args)
	a.out, a.err, a.screen = shown{a.out}, shown{a.err}, a.err
	var grammar cli
	parser, err := kong.New(&grammar, kong.Name(a.program), kong.Description("Financing for business buyers: orders, credit lines, schedules, payments and the books behind them."),
		kong.Vars{"workloads": strings.Join(bench.Workloads(), " ")}, kong.NoDefaultHelp(), kong.Help(a.help), kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Writers(a.out, a.err), kong.Bind(a), kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		return a.fail(fmt.Errorf("command line grammar: %w", err), asJSON)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	switch {
	case errors.Is(err, errHelp):
		return exitDone
	case err != nil:
		return a.fail(a.misuse(err), asJSON)
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
func (a *app) misuse(err error) error {
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
