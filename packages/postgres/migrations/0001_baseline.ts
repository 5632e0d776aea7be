/** All tables of release 0.1.0. Later releases never edit this migration; they add a migration with the next number. */
import { Effect } from "effect"
import { deposits } from "./baseline/Deposits.ts"
import { destinations } from "./baseline/Destinations.ts"
import { history } from "./baseline/History.ts"
import { journal } from "./baseline/Journal.ts"
import { markets } from "./baseline/Markets.ts"
import { oauth } from "./baseline/OAuth.ts"
import { edges, rails } from "./baseline/Rails.ts"
import { signIn } from "./baseline/SignIn.ts"
import { users } from "./baseline/Users.ts"
import { venue } from "./baseline/Venue.ts"
import { webhooks } from "./baseline/Webhooks.ts"
import { withdrawals } from "./baseline/Withdrawals.ts"

/** In dependency order: functions and referenced tables come first. */
const parts = [
  venue,
  journal,
  history,
  markets,
  users,
  signIn,
  oauth,
  destinations,
  edges,
  withdrawals,
  deposits,
  rails,
  webhooks
]

export const baseline = Effect.suspend(() => Effect.all(parts, { discard: true }))
