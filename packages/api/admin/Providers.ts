/** Liquidity providers: accounts that take over positions in liquidation, up to limits set by an operator (rule 9.11). */
import type { ProviderLimit } from "@venue/domain/Balance"
import { decimalOfMoney } from "@venue/domain/Decimal"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { RowCount, SchemaLink, SymbolName, Uuid } from "../Body.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason, Symbols } from "./Operator.ts"
import { Usd, usdMember } from "../Usd.ts"
import { operation } from "../Operation.ts"

/** Sets the limit of an account in the named markets; limits in other markets are unchanged. */
export const AppointProvider = Schema.Struct({
  $schema: SchemaLink,
  account_id: Uuid.annotate({ description: "Account id.", examples: ["3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"] }),
  symbols: Symbols,
  limit: usdMember(
    Usd.check(Schema.isGreaterThanOrEqualTo(0)),
    "Largest value of the account's position in each of these markets at the mark price; 0 ends the appointment there"
  ),
  reason: Reason
}).annotate({ identifier: "AppointProvider" })

/** Response body of `POST /liquidity-providers`. */
export const ProviderAppointed = Schema.Struct({
  account_id: Schema.String.annotate({ description: "Account id." }),
  symbols: Schema.Array(Schema.String).annotate({ description: "Markets that the limit was set for." }),
  limit: Schema.Finite.annotate({ description: "Largest value of the account's position at the mark price, in USD." })
}).annotate({ identifier: "ProviderAppointed" })

/** Limit of a liquidity provider in one market. */
export const LiquidityProvider = Schema.Struct({
  user_id: Schema.String.annotate({ description: "Id of the account's user." }),
  account_id: Schema.String.annotate({ description: "Account id." }),
  symbol: SymbolName,
  limit: Schema.Finite.annotate({ description: "Largest value of the account's position at the mark price, in USD." })
}).annotate({ identifier: "LiquidityProvider", description: "Limit of a liquidity provider in one market." })

/** Response body of `GET /liquidity-providers`. */
export const LiquidityProviders = Schema.Struct({
  data: Schema.Array(LiquidityProvider).annotate({ description: "Liquidity providers by market." }),
  count: RowCount
}).annotate({ identifier: "LiquidityProviders" })

export const ProvidersGroup = HttpApiGroup.make("providers")
  .add(
    HttpApiEndpoint.get("list", "/liquidity-providers", {
      success: LiquidityProviders,
      error: ServiceUnavailable
    }).annotateMerge(
      operation(
        "List liquidity providers",
        "Returns the accounts that take over positions from liquidations, with their limits."
      )
    ),
    HttpApiEndpoint.post("appoint", "/liquidity-providers", {
      payload: AppointProvider,
      success: ProviderAppointed,
      error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Appoint a liquidity provider",
        "Sets the limit up to which an account takes over positions in markets. Limits in other markets stay. " +
          "Refused with 404 for an unknown account or symbol."
      )
    )
  )
  .middleware(OperatorOnly)

/** Converts the limit of a liquidity provider to its wire format. */
export const liquidityProvider = ({
  accountId,
  limit,
  symbol,
  userId
}: ProviderLimit): typeof LiquidityProvider.Type => ({
  user_id: userId,
  account_id: accountId,
  symbol,
  limit: decimalOfMoney(limit)
})
