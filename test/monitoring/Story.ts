/** The run that the pictures show: trades, withdrawals, and two failures and a halt that cause alerts. */
import { createHash } from "node:crypto"
import * as Signing from "../chaos/Signing.ts"
import * as Load from "../nodes/Load.ts"
import * as TraderRecord from "../nodes/TraderRecord.ts"
import type { ClusterVenue } from "./ClusterVenue.ts"
import type { Prometheus } from "./Prometheus.ts"

export interface StoryOptions {
  readonly venue: ClusterVenue
  readonly prometheus: Prometheus
  readonly minutes: number
  readonly say: (text: string) => void
  readonly isOver: () => boolean
}

/** Interval between two commands of a connection. */
const commandMillis = 250
const patienceMillis = 600_000

/** Runs the events. Fails if the run is interrupted. */
export const run = async ({ isOver, minutes, prometheus, say, venue }: StoryOptions): Promise<void> => {
  const until = async (what: string, holds: () => Promise<boolean> | boolean): Promise<void> => {
    const deadline = performance.now() + patienceMillis
    while (!(await holds())) {
      if (isOver()) throw new Error(`interrupted before ${what}`)
      if (performance.now() > deadline) throw new Error(`waited ${patienceMillis / 1_000} s in vain until ${what}`)
      await new Promise((again) => setTimeout(again, 500))
    }
  }
  const pass = async (share: number): Promise<void> => {
    const end = performance.now() + share * minutes * 60_000
    await until("a part of the run is over", () => performance.now() >= end)
  }
  const alertIs = (name: string, state: string) =>
    until(`${name} is ${state}`, async () =>
      (await prometheus.rules()).some((rule) => rule.name === name && rule.state === state)
    )
  const causing = async (name: string, cause: () => Promise<unknown>, end: () => Promise<unknown>): Promise<void> => {
    await cause()
    await alertIs(name, "firing")
    say(`${name} is firing`)
    await end()
    await alertIs(name, "inactive")
    say(`${name} is over`)
  }
  const change = (to: string) =>
    until(`the mode is ${to}`, async () => {
      const { status } = await venue.operator("/venue-mode", { to, reason: "pictures of the dashboards" })
      return status === 200 || status === 204
    })

  const load = await Load.begin(venue.urls.trade, venue.traders.map(TraderRecord.make), "pictures", 4, commandMillis)
  const reads = setInterval(() => void read(venue), 500)
  try {
    await pass(0.2)
    await withdraw(venue)
    await pass(0.15)
    say("killing runner-1, which the supervisor restarts")
    venue.kill("runner-1")
    await pass(0.15)
    say("draining runner-2")
    await causing(
      "VenueNodeNotReady",
      () => venue.command("drain", "runner-2"),
      () => venue.command("restart", "runner-2")
    )
    await pass(0.2)
    say("halting the venue")
    await causing(
      "VenueNotTrading",
      () => change("HALTED"),
      async () => {
        for (const mode of ["CANCEL_ONLY", "TRADING", "WITHDRAWALS"]) await change(mode)
      }
    )
    await pass(0.3)
  } finally {
    load.stop()
    clearInterval(reads)
    await Promise.all(load.sockets.map((socket) => socket.close()))
    say(`${load.answered()} commands answered, ${load.errors().length} errors`)
  }
}

/** Sends a public request and a user's request. */
const read = async ({ traders, urls }: ClusterVenue): Promise<void> => {
  const [user] = traders
  await Signing.ask(`${urls.rest}/symbols/metrics`, {})
  await Signing.ask(`${urls.funding}/address?network=TRON`, Signing.headersOf(Signing.signed(user!)))
}

/** Withdraws from every trader; the destinations of two are flagged, so that an operator must review them. */
const withdraw = async ({ operator, traders, urls }: ClusterVenue): Promise<void> => {
  for (const [index, user] of traders.entries()) {
    const address = `0x${createHash("sha256").update(user.name).digest("hex").slice(0, 40)}`
    if (index < 2)
      await operator("/treasury-flags", { kind: "address", subject: address, effect: "flagged", reason: "pictures" })
    const body = { amount: 25 + index, address, network: "ARBITRUM_ONE" }
    await Signing.ask(`${urls.funding}/withdraw`, Signing.headersOf(Signing.signed(user)), body)
  }
}
