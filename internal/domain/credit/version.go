package credit

// RulesVersion is the version of the rules that Decide follows. Raise it with every change
// that makes the same log give another decision, posting, event or record. Each batch stores
// the version that decided it, so that verify does not check old books against new rules.
const RulesVersion = 12
