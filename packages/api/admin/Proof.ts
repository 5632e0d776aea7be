/** Proof of the books: the ledger's sums, and each rail's books next to the rail's holdings. */
import { RailName } from "@venue/domain/Rail"
import { Schema } from "effect"
import { Moment, SymbolName } from "../Body.ts"

/** A rail's books next to its holdings; members are null before the first reading or the first audit. */
export const ProofOfRail = Schema.Struct({
  rail: RailName.annotate({ description: "Rail." }),
  asset: Schema.String.annotate({ description: "Asset of the rail, which counts as USD." }),
  simulated: Schema.Boolean.annotate({ description: "Whether the rail is simulated and holds no money." }),
  position: Schema.NullOr(Schema.String).annotate({
    description: "Block or bank entry of the reading; null before the first."
  }),
  as_of: Schema.NullOr(Moment).annotate({
    description: "Time of the reading, ISO 8601 in UTC; null before the first."
  }),
  holdings: Schema.NullOr(Schema.Finite).annotate({
    description: "Money on all addresses of the venue, or in its bank account, in USD; null before the first reading."
  }),
  books: Schema.NullOr(Schema.Finite).annotate({
    description:
      "Money that the rail should hold according to the auditor's own sum, in USD; null before the first audit."
  }),
  difference: Schema.NullOr(Schema.Finite).annotate({
    description:
      "Holdings less books, in USD; null before the first audit. Two readings in a row other than 0 block withdrawals."
  }),
  uncredited: Schema.NullOr(Schema.Finite).annotate({
    description:
      "Part of the holdings that is credited to no account, in USD: unconfirmed, below the minimum or in suspense."
  }),
  in_flight: Schema.Finite.annotate({
    description: "Withdrawals that are debited and have neither arrived nor been returned, with their fees, in USD."
  })
}).annotate({ identifier: "ProofOfRail", description: "Books of a rail next to its holdings." })

/** Money of accounts that no rail backs. */
export const Uncovered = Schema.Struct({
  total: Schema.Finite.annotate({ description: "Sum of the other members, in USD." }),
  operator_credits: Schema.Finite.annotate({
    description: "Credits by operators and by the development seed, in USD."
  }),
  reserve_funds: Schema.Finite.annotate({ description: "Money that operators put into reserve funds, in USD." }),
  simulated_rails: Schema.Finite.annotate({ description: "Deposits less withdrawals of simulated rails, in USD." })
}).annotate({ identifier: "Uncovered", description: "Money of accounts that no rail backs." })

/**
 * Proof of the books: every sum is 0 while the books balance. The sum of cash includes all fees, all funding, and the
 * reserve funds without the operator's top-ups.
 */
export const Proof = Schema.Struct({
  balanced: Schema.Boolean.annotate({ description: "Whether every sum is 0." }),
  assets: Schema.Array(
    Schema.Struct({
      asset: Schema.String.annotate({ description: "Asset." }),
      sum: Schema.Finite.annotate({ description: "Sum of the ledger, 0 while it balances." })
    })
  ).annotate({ description: "Sums of the ledger by asset." }),
  positions: Schema.Array(
    Schema.Struct({
      symbol: SymbolName,
      sum: Schema.Finite.annotate({ description: "Sum of all positions in base units, 0 while it balances." })
    })
  ).annotate({
    description: "Sums of the positions by market."
  }),
  reserve_funds: Schema.Array(
    Schema.Struct({
      symbol: SymbolName,
      amount: Schema.Finite.annotate({ description: "Money in the fund, in USD." }),
      topped_up: Schema.Finite.annotate({ description: "Part of it that operators put in, in USD." })
    })
  ).annotate({ description: "Reserve funds by market." }),
  rails: Schema.Array(ProofOfRail).annotate({ description: "Books and holdings by rail." }),
  suspense: Schema.Finite.annotate({
    description: "Money at the bank whose transfer message belongs to no user, in USD."
  }),
  uncovered: Uncovered,
  at: Moment.annotate({ description: "Time of the proof, ISO 8601 in UTC." })
}).annotate({ identifier: "Proof" })
