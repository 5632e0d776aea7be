/** Proof of the books: the ledger's sums, and each rail's books next to the rail's holdings. */
import { RailName } from "@venue/domain/Rail"
import { Schema } from "effect"
import { Moment, SymbolName } from "../Body.ts"

/** A rail's books next to its holdings; members are null before the first reading or the first audit. */
export const ProofOfRail = Schema.Struct({
  rail: RailName.annotate({ description: "Name of the rail." }),
  asset: Schema.String.annotate({ description: "Asset held on the rail. One unit counts as 1 USD." }),
  simulated: Schema.Boolean.annotate({ description: "Whether the rail is simulated and holds no money." }),
  position: Schema.NullOr(Schema.String).annotate({
    description: "Block or bank entry at which the holdings were read; null before the first reading."
  }),
  as_of: Schema.NullOr(Moment).annotate({
    description: "Time at which the holdings were read, ISO 8601 in UTC; null before the first reading."
  }),
  holdings: Schema.NullOr(Schema.Finite).annotate({
    description: "Money at all addresses of the venue, or in its bank account, in USD; null before the first reading."
  }),
  books: Schema.NullOr(Schema.Finite).annotate({
    description:
      "Amount that the rail should hold according to the auditor's calculation, in USD; null before the first audit."
  }),
  difference: Schema.NullOr(Schema.Finite).annotate({
    description:
      "Holdings minus books, in USD; null before the first audit. Two consecutive nonzero readings block withdrawals."
  }),
  uncredited: Schema.NullOr(Schema.Finite).annotate({
    description:
      "Deposits in the holdings that are unconfirmed, below the minimum or unmatched, in USD; null before the first audit."
  }),
  in_flight: Schema.Finite.annotate({
    description: "Total of withdrawals that are debited but neither paid nor returned, including fees, in USD."
  })
}).annotate({ identifier: "ProofOfRail", description: "Comparison of a rail's books with its holdings." })

/** Money of accounts that no rail backs. */
export const Uncovered = Schema.Struct({
  total: Schema.Finite.annotate({
    description: "Sum of `operator_credits`, `reserve_funds` and `simulated_rails`, in USD."
  }),
  operator_credits: Schema.Finite.annotate({
    description: "Total that operators, or the start of a development venue, credited to accounts, in USD."
  }),
  reserve_funds: Schema.Finite.annotate({ description: "Money added to reserve funds by operators, in USD." }),
  simulated_rails: Schema.Finite.annotate({ description: "Deposits minus withdrawals on simulated rails, in USD." })
}).annotate({ identifier: "Uncovered", description: "Money in accounts that is not backed by a rail's holdings." })

/**
 * Proof of the books: every sum is 0 while the books balance. The sum of cash includes all fees, all funding, and the
 * reserve funds without the operator's top-ups.
 */
export const Proof = Schema.Struct({
  balanced: Schema.Boolean.annotate({
    description: "Whether the books balance: every sum of the ledger and of the positions is 0."
  }),
  assets: Schema.Array(
    Schema.Struct({
      asset: Schema.String.annotate({ description: "Name of the asset." }),
      sum: Schema.Finite.annotate({
        description: "Sum of all ledger entries, in units of the asset; 0 while the ledger balances."
      })
    })
  ).annotate({ description: "Sum of all ledger entries for each asset." }),
  positions: Schema.Array(
    Schema.Struct({
      symbol: SymbolName,
      sum: Schema.Finite.annotate({
        description: "Sum of all signed positions, in base units; 0 while long and short positions balance."
      })
    })
  ).annotate({
    description: "Sum of all positions in each market."
  }),
  reserve_funds: Schema.Array(
    Schema.Struct({
      symbol: SymbolName,
      amount: Schema.Finite.annotate({ description: "Balance of the reserve fund, in USD." }),
      topped_up: Schema.Finite.annotate({ description: "Total that operators have added to the reserve fund, in USD." })
    })
  ).annotate({ description: "Balance of each market's reserve fund." }),
  rails: Schema.Array(ProofOfRail).annotate({
    description: "Comparison of books and holdings, one entry for each rail."
  }),
  suspense: Schema.Finite.annotate({
    description: "Bank deposits whose transfer message matches no user, in USD."
  }),
  uncovered: Uncovered,
  at: Moment.annotate({ description: "Time of the proof, ISO 8601 in UTC." })
}).annotate({ identifier: "Proof" })
