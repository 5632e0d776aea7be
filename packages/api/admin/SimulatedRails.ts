/** Events that an operator of a development venue triggers on a simulated chain or bank. */
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

/** Deposit to a simulated rail. */
export const SimulatedDeposit = Schema.Struct({
  ...rail,
  sent_to: Schema.String.check(Text.atLeast(1), Text.atMost(200)).annotate({
    description: "Deposit address on a chain, or message of a bank transfer.",
    examples: ["7ZK4M0QX2P9D"]
  }),
  amount: usdMember(PositiveUsd, "Amount of the deposit"),
  payment_rail: Schema.optionalKey(
    DepositRail.annotate({ description: "Bank payment rail of the deposit; omitted for a chain." })
  )
}).annotate({ identifier: "SimulatedDeposit" })

/** Response body of `POST /simulated-rails/deposit`. */
export const SimulatedTransfer = Schema.Struct({
  tx_hash: Schema.String.annotate({ description: "Hash that identifies the simulated transfer." })
}).annotate({ identifier: "SimulatedTransfer" })

/** Replacement of the newest blocks. Their transfers reappear in the next block, or are lost. */
export const SimulatedReorganisation = Schema.Struct({
  ...rail,
  blocks: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 90 })).annotate({
    description: "Number of newest blocks to replace, 1 to 90.",
    examples: [3]
  }),
  comes_again: Schema.Boolean.annotate({
    description: "Whether the transfers of the replaced blocks reappear in the next block."
  })
}).annotate({ identifier: "SimulatedReorganisation" })

/** Return of a bank transfer. */
export const SimulatedReturn = Schema.Struct({
  $schema: SchemaLink,
  tx_hash: Schema.String.annotate({
    description: "Hash of the bank transfer to return.",
    examples: ["0x3b7e3b7e3b7e3b7e3b7e3b7e3b7e3b7e3b7e3b7e3b7e3b7e3b7e3b7e3b7e3b7e"]
  })
}).annotate({
  identifier: "SimulatedReturn"
})

/** Outcome of the next payment. */
export const SimulatedFate = Schema.Struct({
  ...rail,
  fate: Schema.Literals(["pay", "fail", "stall"]).annotate({
    description:
      "Outcome of the next payment: `pay`, `fail`, or `stall`, which keeps the payment out of every block so that the rail resends it."
  })
}).annotate({
  identifier: "SimulatedFate"
})

/** Body of `POST /simulated-rails/cut-off`. */
export const SimulatedOutage = Schema.Struct({
  ...rail,
  seconds: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3_600 })).annotate({
    description: "Duration of the outage in seconds, 1 to 3,600.",
    examples: [30]
  })
}).annotate({ identifier: "SimulatedOutage" })

/** Change of a rail's holdings without a transfer, which the auditor must detect. */
export const SimulatedDiscrepancy = Schema.Struct({
  ...rail,
  amount: usdChange("Change of the rail's holdings without a transfer (negative to decrease the holdings)")
}).annotate({ identifier: "SimulatedDiscrepancy" })

const errors = [NotFound, ServiceUnavailable] as const
const done = { success: HttpApiSchema.NoContent, error: errors }

/** Endpoints for simulated rails; each responds with 404 for a real rail. */
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
          "Deposits money on a simulated rail, to an address or with a bank transfer message. Refused with 404 for " +
            "an unknown address or a real rail."
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
          "Replaces the newest blocks of a simulated chain. Refused with 404 for a real rail."
        )
      )
      .annotate(NeededRole, "admin"),
    HttpApiEndpoint.post("takeBack", "/simulated-rails/take-back", { payload: SimulatedReturn, ...done })
      .annotateMerge(
        operation(
          "Simulate a returned transfer",
          "Returns a simulated bank transfer to its sender. Refused with 404 for an unknown transfer or a real rail."
        )
      )
      .annotate(NeededRole, "admin"),
    HttpApiEndpoint.post("nextPayment", "/simulated-rails/next-payment", { payload: SimulatedFate, ...done })
      .annotateMerge(
        operation(
          "Set the outcome of the next payment",
          "Sets whether the next payment of a simulated rail is paid, fails or stalls. Refused with 404 " +
            "for a real rail."
        )
      )
      .annotate(NeededRole, "admin"),
    HttpApiEndpoint.post("addUntold", "/simulated-rails/add-untold", { payload: SimulatedDiscrepancy, ...done })
      .annotateMerge(
        operation(
          "Change holdings without a transfer",
          "Changes the holdings of a simulated rail without a transfer, so that the audit finds a difference. " +
            "Refused with 404 for a real rail."
        )
      )
      .annotate(NeededRole, "admin"),
    HttpApiEndpoint.post("cutOff", "/simulated-rails/cut-off", { payload: SimulatedOutage, ...done })
      .annotateMerge(
        operation(
          "Simulate an outage",
          "Makes a simulated rail unreachable for the given number of seconds. Refused with 404 for a real rail."
        )
      )
      .annotate(NeededRole, "admin")
  )
  .middleware(OperatorOnly)
