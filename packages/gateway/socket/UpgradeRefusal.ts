/** Problem responses for refused upgrades. */
import * as Problem from "@venue/api/Problem"
import { contentType } from "effect/http/ProblemDetails"
import type { Socket as NetSocket } from "node:net"
import * as PlainHttp from "../http/PlainHttp.ts"
import { retryAfter } from "../http/Refusal.ts"
import type { Refusal } from "./SocketBudget.ts"

/** Refuses an upgrade with 429 or 503 and closes the socket. */
export function refuse(socket: NetSocket, restUrl: string, refusal: Refusal): void {
  const { body, waitMillis } = refusals(restUrl, refusal)
  PlainHttp.refuseSocket(() => ({ contentType, body }), socket, body, retryAfter(waitMillis))
}

/** HTTP status of each refusal. */
export const statuses = { TooManyUpgrades: 429, AddressFull: 429, VenueFull: 503 } as const

/** `Retry-After` when all sockets are in use. */
const fullMillis = 5_000

function refusals(restUrl: string, refusal: Refusal) {
  switch (refusal._tag) {
    case "TooManyUpgrades":
      return {
        waitMillis: refusal.waitMillis,
        body: Problem.body(restUrl, statuses.TooManyUpgrades, "rate-exceeded", Problem.rateSpent(refusal.waitMillis))
      }
    case "AddressFull": {
      const detail = `This listener accepts at most ${refusal.most} open sockets per client address; close one first.`
      return {
        waitMillis: fullMillis,
        body: Problem.body(restUrl, statuses.AddressFull, "too-many-sockets", { detail })
      }
    }
    case "VenueFull": {
      const detail = `The gateway has reached its limit of ${refusal.most} open sockets; try again after the number of seconds in the Retry-After header.`
      return { waitMillis: fullMillis, body: Problem.body(restUrl, statuses.VenueFull, "venue-full", { detail }) }
    }
  }
}
