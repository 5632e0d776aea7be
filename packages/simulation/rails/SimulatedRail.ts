/** Simulated chain or bank for development: a pure machine whose blocks follow the clock, controlled by an operator. */
import { type RailName } from "@venue/domain/Rail"
import { Fate, SimulatedPayment } from "@venue/providers/rails/SimulatedRails"
import { Schema } from "effect"
import { createHash } from "node:crypto"

const Transfer = Schema.Struct({
  txHash: Schema.String,
  to: Schema.String,
  amount: Schema.BigInt,
  paymentRail: Schema.NullOr(Schema.String),
  /** Height of the block that contains the transfer; a reorganisation can move the transfer to another block. */
  height: Schema.Number,
  isGone: Schema.Boolean
})
type Transfer = typeof Transfer.Type

const Paid = Schema.Struct({ ...SimulatedPayment.fields, height: Schema.Number, sentAtMillis: Schema.Number })
export type Paid = typeof Paid.Type

export const SimulatedRail = Schema.Struct({
  foundedAtMillis: Schema.Number,
  /** Heights at which the chain was reorganised. */
  forks: Schema.Array(Schema.Number),
  transfers: Schema.Array(Transfer),
  /** Hashes of transfers that arrived or that the bank returned, in the order in which a scan reads them. */
  log: Schema.Array(Schema.Struct({ txHash: Schema.String, isReturn: Schema.Boolean })),
  payments: Schema.Array(Paid),
  /** Fate of the next payment. */
  nextFate: Fate,
  unreachableUntilMillis: Schema.Number,
  /** Sum of balance changes without a transfer; negative for removals. */
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
/** Blocks until a payment is final. */
export const paymentConfirmations = 3
/** Maximum depth of a reorganisation. */
export const finalBlocks = 100
/** Time after which a payment that is in no block can be sent again. */
export const stalledMillis = 60_000
/** Maximum number of transfers and payments of a simulated rail. */
export const maxKept = 20_000

export const heightAt = ({ foundedAtMillis }: SimulatedRail, nowMillis: number): number =>
  Math.max(0, Math.floor((nowMillis - foundedAtMillis) / blockMillis))

/** Returns the hash of a block, which changes with each reorganisation that reaches it. */
export const blockHash = (rail: RailName, { forks }: SimulatedRail, height: number): string =>
  hashOf(rail, "block", height, forks.filter((from) => from <= height).length)

export const find = ({ transfers }: SimulatedRail, txHash: string): Transfer | undefined =>
  transfers.find((transfer) => transfer.txHash === txHash)

export const isFull = ({ payments, transfers }: SimulatedRail): boolean => payments.length + transfers.length >= maxKept

/** Adds an incoming transfer. On a chain, the transfer enters the next block. */
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

/** Replaces the newest blocks. Their transfers enter the next block or disappear. */
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

/** Records that the bank took a transfer back. */
export const takeBack = (state: SimulatedRail, txHash: string): SimulatedRail => ({
  ...state,
  transfers: state.transfers.map((transfer) => (transfer.txHash === txHash ? { ...transfer, isGone: true } : transfer)),
  log: [...state.log, { txHash, isReturn: true }]
})

/** Sends a payment, unless its reference or number was used before. A stalled payment does not use up its number. */
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

/** Returns all arrivals to the venue's own addresses, minus all payments. */
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
