/** Members of a balance that the trade socket and REST share. */
import { Schema } from "effect"
import * as Member from "./Member.ts"

/** Members of an account's balance, in USD. */
export const BalanceParts = {
  deposit: Member.usd("Money paid in less money taken out"),
  realised_pnl: Member.usd("Profit or loss realised by fills"),
  order_margin: Member.usd("Margin held for open orders"),
  position_margin: Member.usd("Margin held for positions"),
  unrealised_pnl: Member.usd("Profit or loss of closing all positions at their mark prices"),
  net_funding: Member.usd("Funding received less funding paid"),
  available_balance: Member.usd("Money that new orders may use"),
  builder_rewards: Schema.optionalKey(
    Member.usd("Rewards earned by the builder code; only the owner of a code has this member")
  )
}
