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

/** Sets the limit of an account in the request's markets; limits in other markets are unchanged. */
export const AppointProvider = Schema.Struct({
  $schema: SchemaLink,
  account_id: Uuid.annotate({ description: "Account id.", examples: ["3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"] }),
  symbols: Symbols,
  limit: usdMember(
    Usd.check(Schema.isGreaterThanOrEqualTo(0)),
    "Maximum value of the account's position in each of the markets at the mark price (0 to end the appointment)"
  ),
  reason: Reason
}).annotate({ identifier: "AppointProvider" })

/** Response body of `POST /liquidity-providers`. */
export const ProviderAppointed = Schema.Struct({
  account_id: Schema.String.annotate({ description: "Account id." }),
  symbols: Schema.Array(Schema.String).annotate({ description: "Symbols of the markets with the new limit." }),
  limit: Schema.Finite.annotate({ description: "Maximum value of the account's position at the mark price, in USD." })
}).annotate({ identifier: "ProviderAppointed" })

/** Limit of a liquidity provider in one market. */
export const LiquidityProvider = Schema.Struct({
  user_id: Schema.String.annotate({ description: "User id of the account's owner." }),
  account_id: Schema.String.annotate({ description: "Account id." }),
  symbol: SymbolName,
  limit: Schema.Finite.annotate({ description: "Maximum value of the account's position at the mark price, in USD." })
}).annotate({ identifier: "LiquidityProvider", description: "Limit of a liquidity provider in one market." })

/** Response body of `GET /liquidity-providers`. */
export const LiquidityProviders = Schema.Struct({
  data: Schema.Array(LiquidityProvider).annotate({
    description: "Limits of liquidity providers, one entry for each account and market."
  }),
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
        "Returns the accounts that take over positions in liquidation, with their limits."
      )
    ),
    HttpApiEndpoint.post("appoint", "/liquidity-providers", {
      payload: AppointProvider,
      success: ProviderAppointed,
      error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Appoint a liquidity provider",
        "Appoints an account to take over positions in liquidation in the given markets, up to a position limit. " +
          "Its limits in other markets stay unchanged. Refused with 404 for an unknown account or symbol."
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
