/** The database of a test behind a proxy that can be cut. */
import { Effect, Redacted } from "effect"
import { freePort } from "../cluster/VenueNodes.ts"
import * as Proxy from "./Proxy.ts"

/** Returns the database as one node reaches it, through a proxy that can be cut. */
export const through = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const there = new URL(Redacted.value(url))
  // The server of a test listens on a socket in its own directory.
  const path = `${there.searchParams.get("host")}/.s.PGSQL.${there.port}`
  const port = yield* Effect.promise(freePort)
  const proxy = yield* Effect.acquireRelease(
    Effect.promise(() => Proxy.open(port, { path })),
    ({ close }) => Effect.sync(close)
  )
  const here = new URL(there)
  here.searchParams.delete("host")
  here.hostname = "127.0.0.1"
  here.port = String(port)
  return { proxy, url: Redacted.make(here.href) }
})
