/** What an account has, as the socket and REST both tell it. */
import { Schema } from "effect"

export const BalanceParts = {
  deposit: Schema.Finite,
  realised_pnl: Schema.Finite,
  order_margin: Schema.Finite,
  position_margin: Schema.Finite,
  unrealised_pnl: Schema.Finite,
  net_funding: Schema.Finite,
  available_balance: Schema.Finite,
  /** For the owner of a builder code alone. */
  builder_rewards: Schema.optionalKey(Schema.Finite)
}
