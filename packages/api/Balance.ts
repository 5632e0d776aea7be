/** Members of a balance that the trade socket and REST share. */
import { Schema } from "effect"
import * as Member from "./Member.ts"

/** Members of an account's balance, in USD. */
export const BalanceParts = {
  deposit: Member.usd("Credits, deposits and incoming transfers minus withdrawals and outgoing transfers"),
  realised_pnl: Member.usd("Realised profit or loss of all fills"),
  order_margin: Member.usd("Margin held for open orders"),
  position_margin: Member.usd("Margin held for positions"),
  unrealised_pnl: Member.usd("Profit or loss if all positions were closed at their mark prices"),
  net_funding: Member.usd("Funding received minus funding paid"),
  available_balance: Member.usd("Balance available for new orders"),
  builder_rewards: Schema.optionalKey(
    Member.usd(
      "Rewards earned by the user's builder code",
      "; omitted for an account that has never owned a builder code"
    )
  )
}
