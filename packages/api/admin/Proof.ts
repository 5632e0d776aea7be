/** What proves that nothing was made or lost: the sums of the books, and each rail's books against what it holds. */
import { RailName } from "@venue/domain/Rail"
import { Schema } from "effect"
import { Moment, SymbolName } from "../Body.ts"

/** All null until the rail was asked, and its last three until an auditor has looked at that. */
export const ProofOfRail = Schema.Struct({
  rail: RailName.annotate({ description: "Rail." }),
  /** It moves there, and counts as so many USD. */
  asset: Schema.String.annotate({ description: "Asset of the rail, which counts as USD." }),
  /** The rail is made up, as a development has it: there is no money. */
  simulated: Schema.Boolean.annotate({ description: "Whether the rail is simulated and holds no money." }),
  /** Where on the rail it was so: a block, or an entry of the bank. */
  position: Schema.NullOr(Schema.String).annotate({
    description: "Block or bank entry of the reading; null before the first."
  }),
  as_of: Schema.NullOr(Moment).annotate({
    description: "Time of the reading, ISO 8601 in UTC; null before the first."
  }),
  /** On all of the venue's addresses, or in its bank account. */
  holdings: Schema.NullOr(Schema.Finite).annotate({
    description: "Money on all addresses of the venue, or in its bank account, in USD; null before the first reading."
  }),
  /** The rail was to hold so much then, by the auditor's own addition. */
  books: Schema.NullOr(Schema.Finite).annotate({
    description: "Money that the rail should hold by the auditor's own sum, in USD; null before the first audit."
  }),
  /** Holdings less books. Twice in a row other than 0, and nothing leaves the venue. */
  difference: Schema.NullOr(Schema.Finite).annotate({
    description:
      "Holdings less books, in USD; null before the first audit. Two readings in a row other than 0 block withdrawals."
  }),
  /** So much of it came in and is nobody's balance: not confirmed yet, below the minimum, or in suspense. */
  uncredited: Schema.NullOr(Schema.Finite).annotate({
    description: "Part of the holdings that no account has: unconfirmed, below the minimum or in suspense, in USD."
  }),
  /** Debited from users, and neither arrived nor given back, with its fees. */
  in_flight: Schema.Finite.annotate({
    description: "Withdrawals that are debited and have neither arrived nor been returned, with their fees, in USD."
  })
}).annotate({ identifier: "ProofOfRail", description: "Books of a rail beside its holdings." })

/** What accounts have and no money on a rail stands for. */
export const Uncovered = Schema.Struct({
  /** The sum of the rest. */
  total: Schema.Finite.annotate({ description: "Sum of the other members, in USD." }),
  /** What operators credited, with what a development is seeded with. */
  operator_credits: Schema.Finite.annotate({
    description: "Credits by operators and by the seed of a development, in USD."
  }),
  /** What operators put into reserve funds. */
  reserve_funds: Schema.Finite.annotate({ description: "Money that operators put into reserve funds, in USD." }),
  /** What came in by made-up rails and has not left by them. */
  simulated_rails: Schema.Finite.annotate({ description: "Deposits less withdrawals of simulated rails, in USD." })
}).annotate({ identifier: "Uncovered", description: "Money of accounts that no rail backs." })

/**
 * Every sum is 0 while the books balance: that of cash has all fees and funding in it, and the reserve funds of the markets
 * less what the operator has put there.
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
      /** The operator has put so much of it in. */
      topped_up: Schema.Finite.annotate({ description: "Part of it that operators put in, in USD." })
    })
  ).annotate({ description: "Reserve funds by market." }),
  rails: Schema.Array(ProofOfRail).annotate({ description: "Books and holdings by rail." }),
  /** At the bank, with a message that is nobody's. */
  suspense: Schema.Finite.annotate({ description: "Money at the bank with a message that is nobody's, in USD." }),
  uncovered: Uncovered,
  at: Moment.annotate({ description: "Time of the proof, ISO 8601 in UTC." })
}).annotate({ identifier: "Proof" })
