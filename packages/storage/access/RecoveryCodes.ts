/** Single-use recovery codes that replace a lost second factor; only their hashes are stored. */
import { Context, Effect, Option } from "effect"
import { UserId } from "@venue/domain/UserId"
import { bytea, of } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"

const codeTable = Table.make("recovery_code", { userId: of("text", UserId), codeHash: bytea })

export class RecoveryCodes extends Context.Service<
  RecoveryCodes,
  {
    /** Replaces all of an existing user's codes. */
    readonly replace: (userId: UserId, hashes: ReadonlyArray<Uint8Array>) => Effect.Effect<void, DatabaseUnavailable>
    /** Uses up a code. Returns the number of codes left, or `Option.none` if the code is invalid. */
    readonly spend: (userId: UserId, hash: Uint8Array) => Effect.Effect<Option.Option<number>, DatabaseUnavailable>
  }
>()("@venue/storage/access/RecoveryCodes") {
  static readonly layer = Store.layer(RecoveryCodes, () => make)
  static readonly layerMemory = Store.layerMemory(RecoveryCodes, () => make)
}

const make = Effect.gen(function* () {
  const codes = yield* Store.make(codeTable, { key: ["userId", "codeHash"] })
  return RecoveryCodes.of({
    replace: Effect.fn("RecoveryCodes.replace")(function* (userId, hashes) {
      yield* codes.remove({ userId })
      yield* Effect.forEach(hashes, (codeHash) => codes.insert({ userId, codeHash }), { discard: true })
    }, codes.transaction),
    spend: Effect.fn("RecoveryCodes.spend")(function* (userId, codeHash) {
      return (yield* codes.remove({ userId, codeHash })) ? Option.some(yield* codes.count({ userId })) : Option.none()
    })
  })
})
