/** A test's connection to its database, through a proxy that can interrupt the connection. */
import { Effect, Redacted } from "effect"
import { freePort } from "../cluster/VenueNodes.ts"
import * as Proxy from "./Proxy.ts"

/** Returns a proxy and its URL, with which one node connects to the database. */
export const through = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const there = new URL(Redacted.value(url))
  // A test's database server listens on a Unix socket in its own directory.
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
