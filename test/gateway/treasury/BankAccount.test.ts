/** Test of unlinking a bank account while a withdrawal to it is requested. */
import { Transaction } from "@venue/postgres/Transaction"
import { Audit } from "@venue/storage/access/Audit"
import { BankAccounts } from "@venue/storage/treasury/BankAccounts"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { ask, layer as restLayer, RestClient } from "../rest/RestClient.ts"
import { details } from "./Bank.ts"
import * as Rails from "./Rails.ts"
import { layerOver } from "./TreasuryClient.ts"

/** Runs a single time, just before the next change begins. */
let meanwhile: Effect.Effect<unknown> = Effect.void

const interrupted = Layer.effect(
  Transaction,
  Effect.map(Transaction, ({ run }) =>
    Transaction.of({
      run: (work) =>
        Effect.suspend(() => {
          const first = meanwhile
          meanwhile = Effect.void
          return Effect.andThen(first, run(work))
        })
    })
  )
)

const layer = layerOver.pipe(Layer.provide(interrupted), Layer.provideMerge(restLayer), Layer.provideMerge(Rails.layer))

it.effect("refuses to unlink a bank account with an open withdrawal, even one accepted at the last moment", () =>
  Effect.gen(function* () {
    const { signed } = yield* RestClient
    const user = yield* (yield* TestVenue).user("ann", 1_000)
    const byKey = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
      return yield* ask(method, path, yield* signed(user), body)
    })
    const { id } = (yield* byKey("POST", "/bank-account?currency=usd", details)).body
    const payout = { amount: 100, currency: "usd", payment_rail: "wire", account_id: id }
    meanwhile = Effect.provide(
      Effect.orDie(byKey("POST", "/fiat-withdraw", payout)),
      yield* Effect.context<Effect.Services<ReturnType<typeof byKey>>>()
    )
    const refused = yield* byKey("DELETE", `/bank-account/${id}`)
    expect([refused.status, refused.body?.type]).toEqual([409, expect.stringMatching(/bank-account-in-use$/)])
    expect((yield* byKey("GET", "/withdrawals")).body.count).toBe(1)
    expect(Option.isSome(yield* (yield* BankAccounts).find(user.userId, id))).toBe(true)
    const audit = yield* (yield* Audit).about(user.userId)
    expect(audit.map(({ action }) => action)).not.toContain("bank_account_removed")
  }).pipe(Effect.provide(layer))
)
