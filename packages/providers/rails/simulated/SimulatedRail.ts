/**
 * A chain or bank made up for a development: pure, and all of it is its state. Blocks come by the clock alone. What it does
 * beyond that an operator tells it to do.
 */
import { type RailName } from "@venue/domain/Rail"
import { Schema } from "effect"
import { createHash } from "node:crypto"

const Transfer = Schema.Struct({
  txHash: Schema.String,
  to: Schema.String,
  amount: Schema.BigInt,
  paymentRail: Schema.NullOr(Schema.String),
  /** Of the block that it is in; one that a reorganisation has dropped may come into another. */
  height: Schema.Number,
  isGone: Schema.Boolean
})
type Transfer = typeof Transfer.Type

/** What becomes of a payment: it is paid, it fails, or it is not taken into a block and has to be sent anew. */
export const Fate = Schema.Literals(["pay", "fail", "stall"])
export type Fate = typeof Fate.Type

const Paid = Schema.Struct({
  reference: Schema.String,
  withdrawalId: Schema.String,
  sequence: Schema.Number,
  to: Schema.String,
  amount: Schema.BigInt,
  /** A cancel pays nothing, and uses the number up. */
  fate: Schema.Literals([...Fate.literals, "cancel"]),
  height: Schema.Number,
  sentAtMillis: Schema.Number
})
export type Paid = typeof Paid.Type

export const SimulatedRail = Schema.Struct({
  foundedAtMillis: Schema.Number,
  /** It began anew at each of these heights. */
  forks: Schema.Array(Schema.Number),
  transfers: Schema.Array(Transfer),
  /** What a scan reads, in that order: the hash of a transfer that came, or that the bank took back. */
  log: Schema.Array(Schema.Struct({ txHash: Schema.String, isReturn: Schema.Boolean })),
  payments: Schema.Array(Paid),
  /** It is the next payment's. */
  nextFate: Fate,
  unreachableUntilMillis: Schema.Number,
  /** It is there, or below zero was taken, and no transfer tells of it. */
  untold: Schema.optionalKey(Schema.BigInt)
})
export type SimulatedRail = typeof SimulatedRail.Type

export const empty = (nowMillis: number): SimulatedRail => ({
  foundedAtMillis: nowMillis,
  forks: [],
  transfers: [],
  log: [],
  payments: [],
  nextFate: "pay",
  unreachableUntilMillis: 0
})

export const blockMillis = 1_000
/** A payment is known to be final after so many blocks. */
export const paymentConfirmations = 3
/** No reorganisation reaches further back. */
export const finalBlocks = 100
/** A payment that is in no block after so long may be sent anew. */
export const stalledMillis = 60_000
/** A made-up rail is for one development: it takes no more than this, in and out together. */
export const maxKept = 20_000

export const heightAt = ({ foundedAtMillis }: SimulatedRail, nowMillis: number): number =>
  Math.max(0, Math.floor((nowMillis - foundedAtMillis) / blockMillis))

/** It is another one after each reorganisation that reaches the block. */
export const blockHash = (rail: RailName, { forks }: SimulatedRail, height: number): string =>
  hashOf(rail, "block", height, forks.filter((from) => from <= height).length)

export const find = ({ transfers }: SimulatedRail, txHash: string): Transfer | undefined =>
  transfers.find((transfer) => transfer.txHash === txHash)

export const isFull = ({ payments, transfers }: SimulatedRail): boolean => payments.length + transfers.length >= maxKept

/** Somebody sends money; on a chain it is in the next block. */
export const deposit = (
  rail: RailName,
  state: SimulatedRail,
  { amount, paymentRail, to }: Pick<Transfer, "to" | "amount" | "paymentRail">,
  nowMillis: number
): readonly [txHash: string, SimulatedRail] => {
  const txHash = hashOf(rail, "transfer", state.transfers.length, state.foundedAtMillis)
  const height = rail === "BANK" ? 0 : heightAt(state, nowMillis) + 1
  const transfer = { txHash, to, amount, paymentRail, height, isGone: false }
  const log = [...state.log, { txHash, isReturn: false }]
  return [txHash, { ...state, transfers: [...state.transfers, transfer], log }]
}

/** The newest blocks are replaced. What was in them comes again in the next block, or never. */
export const reorganise = (
  state: SimulatedRail,
  blocks: number,
  comesAgain: boolean,
  nowMillis: number
): SimulatedRail => {
  const height = heightAt(state, nowMillis)
  const from = height - blocks + 1
  const dropped = state.transfers.filter((transfer) => !transfer.isGone && transfer.height >= from)
  const names = new Set(dropped.map(({ txHash }) => txHash))
  return {
    ...state,
    forks: [...state.forks, from],
    transfers: state.transfers.map((transfer) =>
      names.has(transfer.txHash)
        ? comesAgain
          ? { ...transfer, height: height + 1 }
          : { ...transfer, isGone: true }
        : transfer
    ),
    log: comesAgain ? [...state.log, ...dropped.map(({ txHash }) => ({ txHash, isReturn: false }))] : state.log
  }
}

/** The bank takes a transfer back, once. */
export const takeBack = (state: SimulatedRail, txHash: string): SimulatedRail => ({
  ...state,
  transfers: state.transfers.map((transfer) => (transfer.txHash === txHash ? { ...transfer, isGone: true } : transfer)),
  log: [...state.log, { txHash, isReturn: true }]
})

/** What is there already is not sent twice, and a number is used once: what stalls leaves it free. */
export const send = (
  state: SimulatedRail,
  payment: Omit<Paid, "fate" | "height" | "sentAtMillis">,
  isCancel: boolean,
  nowMillis: number
): SimulatedRail => {
  const isThere = state.payments.some(
    ({ fate, reference, sequence }) =>
      reference === payment.reference || (sequence === payment.sequence && fate !== "stall")
  )
  if (isThere) return state
  const fate = isCancel ? "cancel" : state.nextFate
  const sent: Paid = { ...payment, fate, height: heightAt(state, nowMillis) + 1, sentAtMillis: nowMillis }
  return { ...state, nextFate: isCancel ? state.nextFate : "pay", payments: [...state.payments, sent] }
}

/** All that came and is there, less all that was paid. What went to others' addresses is theirs. */
export const holdings = (state: SimulatedRail, isOwn: (to: string) => boolean, nowMillis: number): bigint => {
  const height = heightAt(state, nowMillis)
  const came = state.transfers.filter(({ height: at, isGone, to }) => !isGone && at <= height && isOwn(to))
  return sum(came) - sum(state.payments.filter((payment) => hasLeft(payment, height))) + (state.untold ?? 0n)
}

export const hasLeft = ({ fate, height }: Paid, upTo: number): boolean => fate === "pay" && height <= upTo

const sum = (all: ReadonlyArray<{ readonly amount: bigint }>): bigint =>
  all.reduce((total, { amount }) => total + amount, 0n)

export const hashOf = (...parts: ReadonlyArray<string | number>): string =>
  createHash("sha256").update(parts.join(" ")).digest("hex")
