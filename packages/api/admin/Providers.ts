/** Liquidity providers: accounts that take over positions of takeovers, up to limits that the operator sets (rule 9.11). */
import type { ProviderLimit } from "@venue/domain/Trader"
import { decimalOfMoney } from "@venue/domain/Decimal"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { RowCount, SchemaLink, SymbolName, Uuid } from "../Body.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason, Symbols } from "./Operator.ts"
import { Usd, usdMember } from "../Usd.ts"

/** In markets that are not named, the limits stay as they are. */
export const AppointProvider = Schema.Struct({
  $schema: SchemaLink,
  account_id: Uuid,
  symbols: Symbols,
  limit: usdMember(
    Usd.check(Schema.isGreaterThanOrEqualTo(0)),
    "Largest value of the account's position in each of these markets at the mark price; 0 ends the appointment there"
  ),
  reason: Reason
}).annotate({ identifier: "AppointProvider" })

export const ProviderAppointed = Schema.Struct({
  account_id: Schema.String,
  symbols: Schema.Array(Schema.String),
  limit: Schema.Finite
}).annotate({ identifier: "ProviderAppointed" })

export const LiquidityProvider = Schema.Struct({
  user_id: Schema.String,
  account_id: Schema.String,
  symbol: SymbolName,
  limit: Schema.Finite
}).annotate({ identifier: "LiquidityProvider" })

export const LiquidityProviders = Schema.Struct({
  data: Schema.Array(LiquidityProvider),
  count: RowCount
}).annotate({ identifier: "LiquidityProviders" })

export const ProvidersGroup = HttpApiGroup.make("providers")
  .add(
    HttpApiEndpoint.get("list", "/liquidity-providers", { success: LiquidityProviders, error: ServiceUnavailable }),
    HttpApiEndpoint.post("appoint", "/liquidity-providers", {
      payload: AppointProvider,
      success: ProviderAppointed,
      error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    })
  )
  .middleware(OperatorOnly)

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
