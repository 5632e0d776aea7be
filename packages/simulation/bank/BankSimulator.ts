/** Simulated bank for development and tests, with configurable failures. Follows `docs/operate/bank-contract.md`. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Contract from "@venue/providers/rails/bank/BankContract"

/** Failure applied to every request of the contract. */
export const Failure = Schema.Literals([
  "none",
  "unavailable",
  "silent",
  /** The response violates the contract. */
  "malformed",
  "oversized",
  /** The request is carried out, but the response is lost. */
  "lost_answer"
])
export type Failure = typeof Failure.Type

const PayoutBehaviour = {
  /** Time until payouts settle, or null to leave them pending until instructed. */
  settle_after_seconds: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 86_400 }))),
  /** Failure reason for new payouts, or null to let them settle. */
  payouts_fail_with: Schema.NullOr(Contract.FailureReason)
}
export const Behaviour = Schema.Struct({ failure: Failure, ...PayoutBehaviour })
export type Behaviour = typeof Behaviour.Type

const SimulatedPayout = Schema.Struct({
  id: Contract.PayoutId,
  request: Contract.PayoutRequest,
  status: Contract.Payout.fields.status,
  reason: Contract.Payout.fields.reason,
  /** Time at which the payout ends by itself; null if it waits for an instruction. */
  endsAtMillis: Schema.NullOr(Schema.Int),
  endsWith: Contract.Payout.fields.reason
})
export type SimulatedPayout = typeof SimulatedPayout.Type

/** Complete state. Cursors begin with this state's name, so that another instance's cursors are refused. */
export const BankState = Schema.Struct({
  name: Schema.NonEmptyString,
  opening: Schema.BigIntFromString,
  entries: Schema.Array(Contract.Entry),
  payouts: Schema.Array(SimulatedPayout),
  behaviour: Behaviour
})
export type BankState = typeof BankState.Type

/** Refusal with its HTTP status. */
export class BankRefusal extends Schema.TaggedError<BankRefusal>()("BankRefusal", {
  status: Schema.Literals([404, 409, 422]),
  reason: Schema.String
}) {}

export class BankSimulator extends Context.Service<
  BankSimulator,
  {
    readonly takePayout: (
      id: string,
      request: typeof Contract.PayoutRequest.Type
    ) => Effect.Effect<SimulatedPayout, BankRefusal>
    readonly payout: (id: string) => Effect.Effect<SimulatedPayout, BankRefusal>
    readonly payouts: Effect.Effect<ReadonlyArray<SimulatedPayout>>
    readonly creditsAfter: (
      cursor: string | undefined,
      limit: number
    ) => Effect.Effect<typeof Contract.Credits.Type, BankRefusal>
    readonly balance: Effect.Effect<bigint>
    readonly behaviour: Effect.Effect<Behaviour>
    /** Books an incoming credit, with a new reference if none is given. */
    readonly credit: (
      credit: Omit<typeof Contract.Credit.Type, "kind" | "reference"> & { readonly reference?: string | undefined }
    ) => Effect.Effect<typeof Contract.Credit.Type, BankRefusal>
    /** Records that the bank took an ACH credit back. Each credit can be returned once. */
    readonly takeBack: (reference: string) => Effect.Effect<typeof Contract.Return.Type, BankRefusal>
    readonly end: (
      id: string,
      status: "settled" | "failed",
      reason: string | null
    ) => Effect.Effect<SimulatedPayout, BankRefusal>
    readonly behave: (behaviour: Behaviour) => Effect.Effect<void>
  }
>()("@venue/providers/BankSimulator") {
  static readonly layer = (
    options: BankSimulatorOptions = {}
  ): Layer.Layer<BankSimulator, never, SecureRandom.SecureRandom> => Layer.effect(BankSimulator, make(options))
}

export interface BankSimulatorOptions {
  /** State to continue from. Without it, the simulator starts with a new state. */
  readonly state?: BankState | undefined
  readonly opening?: bigint
  /** Called after each change. */
  readonly save?: (state: BankState) => Effect.Effect<void>
}

export const calm: Behaviour = { failure: "none", settle_after_seconds: 5, payouts_fail_with: null }

const make = Effect.fnUntraced(function* ({ opening = 0n, save = () => Effect.void, state }: BankSimulatorOptions) {
  const random = yield* SecureRandom.SecureRandom
  const fresh = { name: yield* random.uuidV4(), opening, entries: [], payouts: [], behaviour: calm }
  const kept = keeping(state ?? fresh, save)
  const now = passing(kept)
  return BankSimulator.of({
    ...paying(kept, now),
    ...crediting(kept, random.uuidV4()),
    balance: Effect.map(now, () => booked(kept.bank())),
    behaviour: Effect.sync(() => kept.bank().behaviour),
    behave: (behaviour) => kept.change({ behaviour })
  })
})

interface Kept {
  readonly bank: () => BankState
  readonly change: (next: Partial<BankState>) => Effect.Effect<void>
}

const keeping = (state: BankState, save: (state: BankState) => Effect.Effect<void>): Kept => {
  let bank = state
  const change = (next: Partial<BankState>) =>
    Effect.suspend(() => {
      bank = { ...bank, ...next }
      return save(bank)
    })
  return { bank: () => bank, change }
}

/** Completes the payouts that are due and returns the current time. */
const passing = ({ bank, change }: Kept) =>
  Effect.gen(function* () {
    const millis = yield* Clock.currentTimeMillis
    const isDue = ({ endsAtMillis, status }: SimulatedPayout) =>
      status === "pending" && endsAtMillis !== null && endsAtMillis <= millis
    const { payouts } = bank()
    if (payouts.some(isDue)) {
      yield* change({ payouts: payouts.map((payout) => (isDue(payout) ? ended(payout, payout.endsWith) : payout)) })
    }
    return millis
  })

type Paying = Pick<BankSimulator["Service"], "takePayout" | "payout" | "payouts" | "end">

const paying = ({ bank, change }: Kept, now: Effect.Effect<number>): Paying => {
  const payout = Effect.fn("BankSimulator.payout")(function* (id: string) {
    yield* now
    const found = bank().payouts.find((payout) => payout.id === id)
    return found ?? (yield* new BankRefusal({ status: 404, reason: "no such payout" }))
  })

  const takePayout: Paying["takePayout"] = Effect.fn("BankSimulator.takePayout")(function* (id, request) {
    const millis = yield* now
    const { behaviour, payouts } = bank()
    const known = payouts.find((payout) => payout.id === id)
    if (known !== undefined) {
      if (isSame(known.request, request)) return known
      return yield* new BankRefusal({ status: 409, reason: "another payout has this idempotency key" })
    }
    yield* roomIn(payouts)
    const { payouts_fail_with: endsWith, settle_after_seconds: seconds } = behaviour
    const endsAtMillis = seconds === null ? null : millis + seconds * 1_000
    const taken = { id, request, status: "pending" as const, reason: null, endsAtMillis, endsWith }
    const made = request.amount <= free(bank()) ? taken : ended(taken, "insufficient_funds")
    yield* change({ payouts: [...payouts, made] })
    return made
  })

  const end: Paying["end"] = Effect.fn("BankSimulator.end")(function* (id, status, reason) {
    const open = yield* payout(id)
    if (open.status !== "pending") return yield* new BankRefusal({ status: 409, reason: "the payout is already final" })
    const done = ended(open, status === "failed" ? (reason ?? "refused") : null)
    yield* change({ payouts: bank().payouts.map((payout) => (payout.id === id ? done : payout)) })
    return done
  })

  return { takePayout, payout, end, payouts: Effect.map(now, () => bank().payouts) }
}

type Crediting = Pick<BankSimulator["Service"], "creditsAfter" | "credit" | "takeBack">

const crediting = ({ bank, change }: Kept, newReference: Effect.Effect<string>): Crediting => {
  const creditsAfter: Crediting["creditsAfter"] = Effect.fn("BankSimulator.creditsAfter")(function* (cursor, limit) {
    const { entries, name } = bank()
    const at = cursor === undefined ? entries.length : placeOf(cursor, name)
    if (at === undefined || at > entries.length)
      return yield* new BankRefusal({ status: 422, reason: "after is not a cursor that this bank returned" })
    const data = entries.slice(at, at + limit)
    return { data, next: `${name}:${at + data.length}` }
  })

  const credit: Crediting["credit"] = Effect.fn("BankSimulator.credit")(function* (given) {
    const reference = given.reference ?? (yield* newReference)
    const { entries } = bank()
    if (creditOf(bank(), reference) !== undefined)
      return yield* new BankRefusal({ status: 409, reason: "a credit with this reference exists" })
    yield* roomIn(entries)
    const entry = { ...given, kind: "credit" as const, reference }
    yield* change({ entries: [...entries, entry] })
    return entry
  })

  const takeBack: Crediting["takeBack"] = Effect.fn("BankSimulator.takeBack")(function* (reference) {
    const { entries } = bank()
    const credit = creditOf(bank(), reference)
    if (credit === undefined) return yield* new BankRefusal({ status: 404, reason: "no such credit" })
    if (credit.payment_rail !== "ach_push")
      return yield* new BankRefusal({ status: 422, reason: "only a credit by ach_push can be returned" })
    if (entries.some((entry) => entry.kind === "return" && entry.reference === reference))
      return yield* new BankRefusal({ status: 409, reason: "the credit was already returned" })
    yield* roomIn(entries)
    const entry = { kind: "return" as const, reference }
    yield* change({ entries: [...entries, entry] })
    return entry
  })

  return { creditsAfter, credit, takeBack }
}

const roomIn = (kept: ReadonlyArray<unknown>): Effect.Effect<void, BankRefusal> =>
  kept.length < maxKept
    ? Effect.void
    : Effect.fail(new BankRefusal({ status: 409, reason: "the simulated bank cannot store more records" }))

/** Maximum number of entries, and maximum number of payouts. */
const maxKept = 100_000

const ended = (payout: SimulatedPayout, reason: string | null): SimulatedPayout => ({
  ...payout,
  status: reason === null ? "settled" : "failed",
  reason
})

const creditOf = ({ entries }: BankState, reference: string) =>
  entries.find((entry) => entry.kind === "credit" && entry.reference === reference) as
    | typeof Contract.Credit.Type
    | undefined

const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, amount) => total + amount, 0n)

const paid = ({ payouts }: BankState, status: SimulatedPayout["status"]): bigint =>
  sum(payouts.filter((payout) => payout.status === status).map(({ request }) => request.amount))

const booked = (bank: BankState): bigint =>
  bank.opening +
  sum(
    bank.entries.map((entry) =>
      entry.kind === "credit" ? entry.amount : -(creditOf(bank, entry.reference)?.amount ?? 0n)
    )
  ) -
  paid(bank, "settled")

const free = (bank: BankState): bigint => booked(bank) - paid(bank, "pending")

const placeOf = (cursor: string, name: string): number | undefined => {
  const place = cursor.startsWith(`${name}:`) ? cursor.slice(name.length + 1) : ""
  return /^\d{1,15}$/.test(place) ? Number(place) : undefined
}

const encode = Schema.encodeSync(Schema.fromJsonString(Contract.PayoutRequest))
const isSame = (a: typeof Contract.PayoutRequest.Type, b: typeof Contract.PayoutRequest.Type): boolean =>
  encode(a) === encode(b)
