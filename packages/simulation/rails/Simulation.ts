/** Simulated rails as providers: their state is stored elsewhere, and an operator controls their behaviour. */
import type { RailName } from "@venue/domain/Rail"
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { getAddress } from "viem"
import { ofEvm } from "@venue/providers/rails/tron/TronAddress"
import {
  type Arrival,
  type ArrivalState,
  type Holdings,
  type HoldingsQuestion,
  type Outcome,
  type Payment,
  type PaymentOrder,
  type RailProvider,
  RailUnavailable
} from "@venue/providers/rails/RailProvider"
import { receiverOf, type Simulated } from "@venue/providers/rails/SimulatedRails"
import * as Machine from "./SimulatedRail.ts"

/** Changes a rail's state atomically and stores it; fails with the database's error. */
export type Keep = <A>(
  rail: RailName,
  change: (state: Machine.SimulatedRail) => readonly [A, Machine.SimulatedRail]
) => Effect.Effect<A, RailUnavailable>

export const make = (rail: RailName, keep: Keep): Simulated => {
  const at = <A>(work: (state: Machine.SimulatedRail, nowMillis: number) => readonly [A, Machine.SimulatedRail]) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => keep(rail, (state) => work(state, nowMillis)))
  const change = (work: (state: Machine.SimulatedRail, nowMillis: number) => Machine.SimulatedRail) =>
    at((state, nowMillis) => [undefined, work(state, nowMillis)])
  return {
    provider: providerOf(rail, at),
    deposit: (to, amount, paymentRail) =>
      at((state, nowMillis) =>
        Machine.deposit(rail, state, { to: receiverOf(rail, to), amount, paymentRail }, nowMillis)
      ),
    reorganise: (blocks, comesAgain) =>
      change((state, nowMillis) => Machine.reorganise(state, blocks, comesAgain, nowMillis)),
    takeBack: (txHash) =>
      at((state) => {
        const isThere = Machine.find(state, txHash)?.isGone === false
        return [isThere, isThere ? Machine.takeBack(state, txHash) : state]
      }),
    nextFate: (nextFate) => change((state) => ({ ...state, nextFate })),
    cutOff: (seconds) =>
      change((state, nowMillis) => ({ ...state, unreachableUntilMillis: nowMillis + seconds * 1_000 })),
    addUntold: (amount) => change((state) => ({ ...state, untold: (state.untold ?? 0n) + amount })),
    payments: at((state) => [state.payments, state])
  }
}

type At = <A>(
  work: (state: Machine.SimulatedRail, nowMillis: number) => readonly [A, Machine.SimulatedRail]
) => Effect.Effect<A, RailUnavailable>

const providerOf = (rail: RailName, at: At): RailProvider => {
  /** Runs one call from the venue to the rail. The call fails while the rail is cut off. */
  const reached = <A>(work: (state: Machine.SimulatedRail, nowMillis: number) => readonly [A, Machine.SimulatedRail]) =>
    Effect.flatMap(
      at((state, nowMillis) =>
        nowMillis < state.unreachableUntilMillis ? [undefined, state] : wrapped(work(state, nowMillis))
      ),
      (answer) =>
        answer === undefined
          ? Effect.fail(new RailUnavailable({ rail, cause: "the simulated rail is unreachable" }))
          : Effect.succeed(answer.value)
    )
  const read = <A>(work: (state: Machine.SimulatedRail, nowMillis: number) => A) =>
    reached((state, nowMillis) => [work(state, nowMillis), state])
  return {
    rail,
    addressAt: rail === "BANK" ? undefined : (index) => addressAt(rail, index),
    scan: Effect.fnUntraced(function* (cursor, watched) {
      const { entries, next } = yield* read((state, nowMillis) => news(rail, state, Number(cursor ?? 0), nowMillis))
      const addresses = new Set(yield* watched)
      return {
        arrivals: entries.flatMap(({ arrival }) =>
          arrival !== undefined && (rail === "BANK" || addresses.has(arrival.to)) ? [arrival] : []
        ),
        returned: entries.flatMap(({ returned }) =>
          returned === undefined ? [] : [{ txHash: returned, logIndex: 0 }]
        ),
        cursor: String(next)
      }
    }),
    arrivalStates: (arrivals) =>
      read((state, nowMillis) => arrivals.map(({ txHash }) => stateOf(rail, state, txHash, nowMillis))),
    nextSequence: ({ next }) => Effect.succeed(next),
    isOrdered: false,
    check: () => Effect.void,
    sign: (order) => Effect.map(Clock.currentTimeMillis, (nowMillis) => signed(rail, order, nowMillis)),
    send: ({ bytes, purpose, reference }) =>
      reached((state, nowMillis) => {
        const payment = decode(Redacted.value(bytes))
        return [undefined, Machine.send(state, { ...payment, reference }, purpose === "cancel", nowMillis)]
      }),
    outcome: (payments) => read((state, nowMillis) => outcomeOf(state, payments, nowMillis)),
    holdings: (question) => read((state, nowMillis) => holdingsOf(rail, state, question, nowMillis))
  }
}

const wrapped = <A, S>([value, state]: readonly [A, S]): readonly [{ readonly value: A }, S] => [{ value }, state]

/** Returns the log from a position up to the first entry that is not in a block yet. */
const news = (rail: RailName, state: Machine.SimulatedRail, from: number, nowMillis: number) => {
  const height = Machine.heightAt(state, nowMillis)
  const entries: Array<{ readonly arrival?: Arrival; readonly returned?: string }> = []
  let next = from
  for (; next < state.log.length && entries.length < maxEntries; next++) {
    const { isReturn, txHash } = state.log[next]!
    const transfer = Machine.find(state, txHash)!
    if (transfer.height > height) break
    if (isReturn) entries.push({ returned: txHash })
    else if (rail === "BANK" || !transfer.isGone) entries.push({ arrival: arrivalOf(rail, state, transfer) })
  }
  return { entries, next }
}

const maxEntries = 500

const arrivalOf = (
  rail: RailName,
  state: Machine.SimulatedRail,
  { amount, height, paymentRail, to, txHash }: Machine.SimulatedRail["transfers"][number]
): Arrival => ({
  txHash,
  logIndex: 0,
  to,
  amount,
  block: rail === "BANK" ? null : { number: height, hash: Machine.blockHash(rail, state, height) },
  paymentRail
})

const stateOf = (rail: RailName, state: Machine.SimulatedRail, txHash: string, nowMillis: number): ArrivalState => {
  const transfer = Machine.find(state, txHash)
  if (rail === "BANK") return { _tag: "Present", confirmations: 1, isFinal: true }
  const confirmations = transfer === undefined ? 0 : Machine.heightAt(state, nowMillis) - transfer.height + 1
  if (transfer === undefined || transfer.isGone || confirmations <= 0) return { _tag: "Gone" }
  return { _tag: "Present", confirmations, isFinal: confirmations >= Machine.finalBlocks }
}

const outcomeOf = (state: Machine.SimulatedRail, payments: ReadonlyArray<Payment>, nowMillis: number): Outcome => {
  const references = new Set(payments.map(({ reference }) => reference))
  const sent = state.payments.filter(({ reference }) => references.has(reference))
  const done = sent.find(
    ({ fate, height }) =>
      fate !== "stall" && Machine.heightAt(state, nowMillis) - height + 1 >= Machine.paymentConfirmations
  )
  if (done?.fate === "pay") return { _tag: "Settled", reference: done.reference }
  if (done?.fate === "cancel")
    return { _tag: "Failed", reference: done.reference, reason: { _tag: "PaymentCancelled" } }
  if (done?.fate === "fail") return { _tag: "Failed", reference: done.reference, reason: { _tag: "SimulatedFailure" } }
  const isStalled =
    sent.length > 0 &&
    sent.every(({ fate, sentAtMillis }) => fate === "stall" && nowMillis - sentAtMillis >= Machine.stalledMillis)
  return { _tag: isStalled ? "Overdue" : "Pending" }
}

const holdingsOf = (
  rail: RailName,
  state: Machine.SimulatedRail,
  { addresses, cursor, sent }: HoldingsQuestion,
  nowMillis: number
): Option.Option<Holdings> => {
  if (news(rail, state, Number(cursor), nowMillis).next > Number(cursor)) return Option.none()
  const height = Machine.heightAt(state, nowMillis)
  const own = new Set(addresses)
  const left = new Set(state.payments.filter((paid) => Machine.hasLeft(paid, height)).map(({ reference }) => reference))
  return Option.some({
    amount: Machine.holdings(state, (to) => rail === "BANK" || own.has(to), nowMillis),
    position: rail === "BANK" ? `entry ${cursor}` : `block ${height}`,
    block: rail === "BANK" ? null : height,
    hasLeft: sent.map((payments) => payments.some(({ reference }) => left.has(reference)))
  })
}

const signed = (
  rail: RailName,
  { amount, destination, previous, purpose, sequence, withdrawalId }: PaymentOrder,
  nowMillis: number
): Payment => {
  const to = rail === "BANK" ? "" : Redacted.value(destination)
  const attempt = previous.length + 1
  const reference = Machine.hashOf(rail, "payment", withdrawalId, sequence, attempt)
  const bytes = Redacted.make(encode({ withdrawalId, sequence, to, amount }))
  return { attempt, purpose, reference, bytes, expiresAtMillis: null, signedAtMillis: nowMillis }
}

const Signed = Schema.fromJsonString(
  Schema.toCodecJson(
    Schema.Struct({
      withdrawalId: Schema.String,
      sequence: Schema.Number,
      to: Schema.String,
      amount: Schema.BigInt
    })
  )
)
const encode = Schema.encodeSync(Signed)
const decode = Schema.decodeSync(Signed)

/** Derives an address whose private key is unknown. */
const addressAt = (rail: RailName, index: number): string => {
  const address = getAddress(`0x${Machine.hashOf(rail, "address", index).slice(0, 40)}`)
  return rail === "TRON" ? ofEvm(address) : address
}
