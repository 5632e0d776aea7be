/** Addresses at which the wallet is allowed to listen: this machine, or a private network. */
import * as AllowList from "@venue/auth/access/AllowList"
import { Effect } from "effect"
import { lookup } from "node:dns/promises"
import { SettingRefused } from "../process/SettingRefused.ts"

/** Returns the listening address of a host. Resolves names, such as those of containers. */
export const addressOf = Effect.fnUntraced(function* (host: string) {
  const refused = (expected: string) => new SettingRefused({ setting: "VENUE_WALLET_HOST", expected })
  const { address } = yield* Effect.tryPromise({
    try: () => lookup(host),
    catch: () => refused("an IP address or a host name of this machine")
  })
  if (isPrivate(address)) return address
  return yield* refused(`an address of this machine or of a private network, not ${address}`)
})

const isPrivate = AllowList.of([
  "127.0.0.0/8",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "169.254.0.0/16",
  "::1",
  "fc00::/7",
  "fe80::/10"
])
