/** Wallet identities: each address belongs to one user, who is created when the address first signs in. */
import { Clock, Context, Effect, Option } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { UserId } from "@venue/domain/UserId"
import { of, orNull, text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"
import { Users } from "./Users.ts"

const identityTable = Table.make("identity", {
  identityId: text,
  /** `web3:ethereum:` followed by the address. */
  subject: text,
  userId: of("text", UserId),
  /** In lower case. */
  address: text,
  /**
   * Chain id in digits. Like `domain` and `statement`, it comes from the last sign-in and is empty before the first.
   */
  network: text,
  domain: text,
  statement: text,
  createdAtMillis: timestamptz,
  updatedAtMillis: timestamptz,
  lastSignInAtMillis: orNull(timestamptz)
})
export type Identity = Table.Row<typeof identityTable>

/** A wallet that has just proved control of its address. */
export interface Arrival {
  /** In lower case. */
  readonly address: string
  /** Fields of the signed message, or null if the wallet proved its address without signing in. */
  readonly seen: Pick<Identity, "network" | "domain" | "statement"> | null
  /** Existing or new user to link a new address to; a random id if omitted. */
  readonly userId?: UserId
}

export class Identities extends Context.Service<
  Identities,
  {
    /** Returns an address's user. The first call creates the user and the user's primary account. */
    readonly arrive: (
      arrival: Arrival
    ) => Effect.Effect<{ readonly userId: UserId; readonly isNew: boolean }, DatabaseUnavailable>
    /** Returns the user of a wallet address, which can be in any letter case. */
    readonly userOf: (address: string) => Effect.Effect<Option.Option<UserId>, DatabaseUnavailable>
    /** Returns the user's identities, oldest first. */
    readonly ofUser: (userId: UserId) => Effect.Effect<ReadonlyArray<Identity>, DatabaseUnavailable>
  }
>()("@venue/storage/access/Identities") {
  static readonly layer = Store.layer(Identities, () => make)
  static readonly layerMemory = Store.layerMemory(Identities, () => make)
}

const make = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const users = yield* Users
  const identities = yield* Store.make(identityTable, {
    key: ["subject"],
    order: { createdAtMillis: "asc", subject: "asc" }
  })

  const resume = Effect.fnUntraced(function* ({ address, seen }: Arrival) {
    const subject = subjectOf(address)
    if (seen === null) return yield* identities.find({ subject })
    const now = yield* Clock.currentTimeMillis
    return yield* identities.update({ subject }, { ...seen, updatedAtMillis: now, lastSignInAtMillis: now })
  })

  return Identities.of({
    arrive: Effect.fn("Identities.arrive")(function* (arrival: Arrival) {
      const known = yield* resume(arrival)
      if (Option.isSome(known)) return { userId: known.value.userId, isNew: false }
      const identity = yield* newIdentity(random, arrival)
      // The first of several concurrent inserts creates the user; the others wait for its commit and then read its
      // row.
      if (!(yield* identities.insert(identity))) {
        return { userId: Option.getOrThrow(yield* resume(arrival)).userId, isNew: false }
      }
      yield* users.create({ userId: identity.userId, name: identity.address })
      return { userId: identity.userId, isNew: true }
    }, identities.transaction),
    userOf: Effect.fn("Identities.userOf")((address: string) =>
      Effect.map(
        identities.find({ subject: subjectOf(address.toLowerCase()) }),
        Option.map(({ userId }) => userId)
      )
    ),
    ofUser: Effect.fn("Identities.ofUser")((userId: UserId) => identities.list({ userId }))
  })
})

const subjectOf = (address: string) => `web3:ethereum:${address}`

const newIdentity = (random: SecureRandom.SecureRandom["Service"], { address, seen, userId }: Arrival) =>
  Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const identity: Identity = {
      identityId: yield* random.uuidV4(),
      subject: subjectOf(address),
      userId: userId ?? UserId.make(yield* random.uuidV4()),
      address,
      ...(seen ?? { network: "", domain: "", statement: "" }),
      createdAtMillis: at,
      updatedAtMillis: at,
      lastSignInAtMillis: seen === null ? null : at
    }
    return identity
  })
