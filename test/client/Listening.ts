/** A socket listener on this machine for a client under test. */
import * as Socket from "@venue/gateway/socket/Socket"
import * as SocketBudget from "@venue/gateway/socket/SocketBudget"
import type { Accept } from "@venue/testing/Observers"
import { Effect } from "effect"

/** Listens on a free port without limits. Returns the URL. */
export const listen = (accept: Accept) =>
  Effect.map(
    Socket.listen({
      what: "a test",
      host: "127.0.0.1",
      port: 0,
      budget: SocketBudget.make({ limits: false, nowMillis: () => 0 }).trade,
      restUrl: "https://rest.venue.test",
      addressOf: () => "",
      accept,
      answer: (_, response) => response.end()
    }),
    ({ port }) => `ws://127.0.0.1:${port}`
  )
