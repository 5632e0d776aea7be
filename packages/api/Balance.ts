/** What an account has, as the socket and REST both tell it. */
import { Schema } from "effect"
import * as Member from "./Member.ts"

export const BalanceParts = {
  deposit: Member.usd("What was put in less what was taken out"),
  realised_pnl: Member.usd("What fills realised"),
  order_margin: Member.usd("Margin held for open orders"),
  position_margin: Member.usd("Margin held for positions"),
  unrealised_pnl: Member.usd("What closing all positions at their marks would realise"),
  net_funding: Member.usd("Funding received less funding paid"),
  available_balance: Member.usd("What new orders may hold"),
  builder_rewards: Schema.optionalKey(Member.usd("Rewards of a builder code, for its owner alone"))
}
