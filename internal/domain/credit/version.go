package credit

// RulesVersion is the version of the rules that Decide follows. Raise it with
// every change after which the same log would give another decision, posting,
// event or record. Each batch keeps the version that decided it, so that verify
// does not hold old books against new rules.
const RulesVersion = 11
