/** What an operator of a development makes happen on a made-up chain or bank. */
import { DepositRail, RailName } from "@venue/domain/Rail"
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { SchemaLink } from "../Body.ts"
import { NotFound, ServiceUnavailable } from "../Problem.ts"
import { PositiveUsd, usdChange, usdMember } from "../Usd.ts"
import { NeededRole, OperatorOnly } from "./Operator.ts"
import { operation } from "../Operation.ts"

const rail = { $schema: SchemaLink, rail: RailName.annotate({ description: "Simulated rail." }) }

/** `sent_to` is a deposit address, or the message of a bank transfer. */
export const SimulatedDeposit = Schema.Struct({
  ...rail,
  sent_to: Schema.String.check(Text.atLeast(1), Text.atMost(200)).annotate({
    description: "Deposit address, or message of the bank transfer.",
    examples: ["7ZK4M0QX2P9D"]
  }),
  amount: usdMember(PositiveUsd, "Amount of the deposit"),
  payment_rail: Schema.optionalKey(
    DepositRail.annotate({ description: "Payment rail of the bank; left out for a chain." })
  )
}).annotate({ identifier: "SimulatedDeposit" })

export const SimulatedTransfer = Schema.Struct({
  tx_hash: Schema.String.annotate({ description: "Hash of the transfer." })
}).annotate({ identifier: "SimulatedTransfer" })

/** The newest blocks are replaced; what was in them comes again in the next, or never. */
export const SimulatedReorganisation = Schema.Struct({
  ...rail,
  blocks: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 90 })).annotate({
    description: "Number of newest blocks to replace.",
    examples: [3]
  }),
  comes_again: Schema.Boolean.annotate({
    description: "Whether the transfers of these blocks are in the next block again."
  })
}).annotate({ identifier: "SimulatedReorganisation" })

/** The bank takes a transfer back. */
export const SimulatedReturn = Schema.Struct({
  $schema: SchemaLink,
  tx_hash: Schema.String.annotate({
    description: "Hash of the transfer to take back.",
    examples: ["0x3b7e3b7e3b7e3b7e3b7e3b7e3b7e3b7e3b7e3b7e3b7e3b7e3b7e3b7e3b7e3b7e"]
  })
}).annotate({
  identifier: "SimulatedReturn"
})

/** What becomes of the next payment: `stall` leaves it out of every block, so that it is sent anew. */
export const SimulatedFate = Schema.Struct({
  ...rail,
  fate: Schema.Literals(["pay", "fail", "stall"]).annotate({
    description: "Outcome of the next payment; `stall` leaves it out of every block, so that it is sent again."
  })
}).annotate({
  identifier: "SimulatedFate"
})

export const SimulatedOutage = Schema.Struct({
  ...rail,
  seconds: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3_600 })).annotate({
    description: "Length of the outage, in seconds.",
    examples: [30]
  })
}).annotate({ identifier: "SimulatedOutage" })

/** What the rail holds is so much more, or less where it is below zero, and no transfer tells of it: an auditor is to see it. */
export const SimulatedUntold = Schema.Struct({
  ...rail,
  amount: usdChange("Change of the holdings of the rail without a transfer that explains it")
}).annotate({ identifier: "SimulatedUntold" })

const errors = [NotFound, ServiceUnavailable] as const
const done = { success: HttpApiSchema.NoContent, error: errors }

/** 404 where that rail is a real one. */
export const SimulatedRailsGroup = HttpApiGroup.make("simulatedRails")
  .add(
    HttpApiEndpoint.post("deposit", "/simulated-rails/deposit", {
      payload: SimulatedDeposit,
      success: SimulatedTransfer,
      error: errors
    })
      .annotateMerge(
        operation(
          "Simulate a deposit",
          "Sends money to an address or reference on a simulated rail. Refused with 404 where nobody has the " +
            "address or the rail is a real one."
        )
      )
      .annotate(NeededRole, "admin"),
    HttpApiEndpoint.post("reorganise", "/simulated-rails/reorganise", {
      payload: SimulatedReorganisation,
      ...done
    })
      .annotateMerge(
        operation(
          "Simulate a reorganisation",
          "Replaces the newest blocks of a simulated chain. Refused with 404 where the rail is a real one."
        )
      )
      .annotate(NeededRole, "admin"),
    HttpApiEndpoint.post("takeBack", "/simulated-rails/take-back", { payload: SimulatedReturn, ...done })
      .annotateMerge(
        operation(
          "Simulate a returned transfer",
          "Takes a bank transfer back. Refused with 404 for an unknown transfer or where the rail is a real one."
        )
      )
      .annotate(NeededRole, "admin"),
    HttpApiEndpoint.post("nextPayment", "/simulated-rails/next-payment", { payload: SimulatedFate, ...done })
      .annotateMerge(
        operation(
          "Set the outcome of the next payment",
          "Decides whether the next payment of a simulated rail is paid, fails or stalls. Refused with 404 " +
            "where the rail is a real one."
        )
      )
      .annotate(NeededRole, "admin"),
    HttpApiEndpoint.post("addUntold", "/simulated-rails/add-untold", { payload: SimulatedUntold, ...done })
      .annotateMerge(
        operation(
          "Change holdings without a transfer",
          "Changes the holdings of a simulated rail without a transfer, so that the audit finds a difference. " +
            "Refused with 404 where the rail is a real one."
        )
      )
      .annotate(NeededRole, "admin"),
    HttpApiEndpoint.post("cutOff", "/simulated-rails/cut-off", { payload: SimulatedOutage, ...done })
      .annotateMerge(
        operation(
          "Simulate an outage",
          "Makes a simulated rail unreachable for some seconds. Refused with 404 where the rail is a real one."
        )
      )
      .annotate(NeededRole, "admin")
  )
  .middleware(OperatorOnly)
