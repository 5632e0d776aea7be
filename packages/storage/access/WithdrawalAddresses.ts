/** Addresses to which a user is allowed to withdraw. */
import { Clock, Context, Effect, Schema } from "effect"
import { Network } from "@venue/domain/Rail"
import { UserId } from "@venue/domain/UserId"
import { boolean, of, orNull, text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"
import { userTable } from "./Users.ts"

const addressTable = Table.make("withdrawal_address", {
  /** UUID. */
  addressId: text,
  userId: of("text", UserId),
  network: of("text", Network),
  address: text,
  /** User's name for the address. */
  label: orNull(text),
  /** True after the address's wallet has signed a message for the user. */
  verified: boolean,
  createdAtMillis: timestamptz
})
export type WithdrawalAddress = Table.Row<typeof addressTable>

export type NewWithdrawalAddress = Omit<WithdrawalAddress, "createdAtMillis">

export interface Added {
  readonly address: WithdrawalAddress
  readonly isNew: boolean
}

export class TooManyWithdrawalAddresses extends Schema.TaggedError<TooManyWithdrawalAddresses>()(
  "TooManyWithdrawalAddresses",
  { limit: Schema.Number }
) {}

/** Maximum number of addresses per user. A verified address is added even above the limit. */
export const maxWithdrawalAddresses = 100

export class WithdrawalAddresses extends Context.Service<
  WithdrawalAddresses,
  {
    /**
     * Adds an address for an existing user. If the user already has the address in any letter case, keeps the stored
     * row, and marks it as verified if the new address is verified.
     */
    readonly add: (
      address: NewWithdrawalAddress
    ) => Effect.Effect<Added, TooManyWithdrawalAddresses | DatabaseUnavailable>
    /** Returns the user's addresses in the order in which they were added. */
    readonly ofUser: (userId: UserId) => Effect.Effect<ReadonlyArray<WithdrawalAddress>, DatabaseUnavailable>
    /** Removes an address; returns false if the user has no such address. */
    readonly remove: (userId: UserId, addressId: string) => Effect.Effect<boolean, DatabaseUnavailable>
  }
>()("@venue/storage/access/WithdrawalAddresses") {
  static readonly layer = Store.layer(WithdrawalAddresses, () => make)
  static readonly layerMemory = Store.layerMemory(WithdrawalAddresses, () => make)
}

const make = Effect.gen(function* () {
  const users = yield* Store.make(userTable, { key: ["userId"] })
  const addresses = yield* Store.make(addressTable, {
    key: ["addressId"],
    order: { createdAtMillis: "asc", address: "asc" }
  })
  return WithdrawalAddresses.of({
    add: Effect.fn("WithdrawalAddresses.add")(function* (address: NewWithdrawalAddress) {
      const { addressId, userId, verified } = address
      // Serialises the changes to one user's addresses, so that concurrent calls respect the limit.
      yield* users.find({ userId }, "no key update")
      const own = yield* addresses.list({ userId })
      const known = own.find((row) => isSame(row, address))
      if (known !== undefined) {
        if (known.verified || !verified) return { address: known, isNew: false }
        yield* addresses.update({ addressId: known.addressId }, { verified })
        return { address: { ...known, verified }, isNew: false }
      }
      if (!verified && own.length >= maxWithdrawalAddresses) {
        return yield* new TooManyWithdrawalAddresses({ limit: maxWithdrawalAddresses })
      }
      const row = { ...address, createdAtMillis: yield* Clock.currentTimeMillis }
      if (!(yield* addresses.insert(row))) return yield* Effect.die(new Error(`address id ${addressId} is in use`))
      return { address: row, isNew: true }
    }, addresses.transaction),
    ofUser: Effect.fn("WithdrawalAddresses.ofUser")((userId: UserId) => addresses.list({ userId })),
    remove: Effect.fn("WithdrawalAddresses.remove")((userId: UserId, addressId: string) =>
      addresses.remove({ addressId, userId })
    )
  })
})

const isSame = (row: WithdrawalAddress, { address, network }: NewWithdrawalAddress): boolean =>
  row.network === network && row.address.toLowerCase() === address.toLowerCase()
