/** Where the wallet may listen: on this machine, or on a network that nobody outside can reach. */
import * as AllowList from "@venue/auth/access/AllowList"
import { Effect } from "effect"
import { lookup } from "node:dns/promises"
import { SettingRefused } from "../process/SettingRefused.ts"

/** The address of a host, by which it is listened at; a name such as a container's is looked up. */
export const addressOf = Effect.fnUntraced(function* (host: string) {
  const refused = (expected: string) => new SettingRefused({ setting: "VENUE_WALLET_HOST", expected })
  const { address } = yield* Effect.tryPromise({
    try: () => lookup(host),
    catch: () => refused("an address or a name of this machine")
  })
  if (isPrivate(address)) return address
  return yield* refused(`an address of a private network, and ${address} is none`)
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
