/** Wallet identities: each address belongs to one user, who is created at the address's first sign-in. */
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
  /** `web3:ethereum:` and the address. */
  subject: text,
  userId: of("text", UserId),
  /** In lower case. */
  address: text,
  /** Chain id in digits. `network`, `domain` and `statement` are those of the last sign-in; empty before the first. */
  network: text,
  domain: text,
  statement: text,
  createdAtMillis: timestamptz,
  updatedAtMillis: timestamptz,
  lastSignInAtMillis: orNull(timestamptz)
})
export type Identity = Table.Row<typeof identityTable>

/** Wallet that has just proved its address. */
export interface Arrival {
  /** In lower case. */
  readonly address: string
  /** Contents of the signed message; null if the wallet proved its address without a sign-in. */
  readonly seen: Pick<Identity, "network" | "domain" | "statement"> | null
  /** User, existing or new, of an address that is seen for the first time; a random id unless given. */
  readonly userId?: UserId
}

export class Identities extends Context.Service<
  Identities,
  {
    /**
     * Returns the user of an address. The first call creates the user with a primary account; concurrent first calls
     * create one user.
     */
    readonly arrive: (
      arrival: Arrival
    ) => Effect.Effect<{ readonly userId: UserId; readonly isNew: boolean }, DatabaseUnavailable>
    /** Oldest first. */
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
      // The first of concurrent inserts creates the user; the others wait for its commit, then read its row.
      if (!(yield* identities.insert(identity))) {
        return { userId: Option.getOrThrow(yield* resume(arrival)).userId, isNew: false }
      }
      yield* users.create({ userId: identity.userId, name: identity.address })
      return { userId: identity.userId, isNew: true }
    }, identities.transaction),
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
