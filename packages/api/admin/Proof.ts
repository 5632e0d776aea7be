/** What proves that nothing was made or lost: the sums of the books, and each rail's books against what it holds. */
import { RailName } from "@venue/domain/Rail"
import { Schema } from "effect"
import { Moment, SymbolName } from "../Body.ts"

/** All null until the rail was asked, and its last three until an auditor has looked at that. */
export const ProofOfRail = Schema.Struct({
  rail: RailName,
  /** It moves there, and counts as so many USD. */
  asset: Schema.String,
  /** The rail is made up, as a development has it: there is no money. */
  simulated: Schema.Boolean,
  /** Where on the rail it was so: a block, or an entry of the bank. */
  position: Schema.NullOr(Schema.String),
  as_of: Schema.NullOr(Moment),
  /** On all of the venue's addresses, or in its bank account. */
  holdings: Schema.NullOr(Schema.Finite),
  /** The rail was to hold so much then, by the auditor's own addition. */
  books: Schema.NullOr(Schema.Finite),
  /** Holdings less books. Twice in a row other than 0, and nothing leaves the venue. */
  difference: Schema.NullOr(Schema.Finite),
  /** So much of it came in and is nobody's balance: not confirmed yet, below the minimum, or in suspense. */
  uncredited: Schema.NullOr(Schema.Finite),
  /** Debited from users, and neither arrived nor given back, with its fees. */
  in_flight: Schema.Finite
}).annotate({ identifier: "ProofOfRail" })

/** What accounts have and no money on a rail stands for. */
export const Uncovered = Schema.Struct({
  /** The sum of the rest. */
  total: Schema.Finite,
  /** What operators credited, with what a development is seeded with. */
  operator_credits: Schema.Finite,
  /** What operators put into reserve funds. */
  reserve_funds: Schema.Finite,
  /** What came in by made-up rails and has not left by them. */
  simulated_rails: Schema.Finite
}).annotate({ identifier: "Uncovered" })

/**
 * Every sum is 0 while the books balance: that of cash has all fees and funding in it, and the reserve funds of the markets
 * less what the operator has put there.
 */
export const Proof = Schema.Struct({
  balanced: Schema.Boolean,
  assets: Schema.Array(Schema.Struct({ asset: Schema.String, sum: Schema.Finite })),
  positions: Schema.Array(Schema.Struct({ symbol: SymbolName, sum: Schema.Finite })),
  reserve_funds: Schema.Array(
    Schema.Struct({
      symbol: SymbolName,
      amount: Schema.Finite,
      /** The operator has put so much of it in. */
      topped_up: Schema.Finite
    })
  ),
  rails: Schema.Array(ProofOfRail),
  /** At the bank, with a message that is nobody's. */
  suspense: Schema.Finite,
  uncovered: Uncovered,
  at: Moment
}).annotate({ identifier: "Proof" })
