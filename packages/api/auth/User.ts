/** Body of a user in the authentication service. */
import type { UserId } from "@venue/domain/UserId"
import { instant } from "../Digits.ts"
import { type FactorBody, factorBody, type FactorRecord } from "./Factor.ts"

/** A user's wallet. */
export interface IdentityBody {
  readonly identity_id: string
  readonly id: string
  readonly user_id: string
  readonly provider: "web3"
  readonly identity_data: Readonly<Record<string, never>>
  readonly created_at: string
  readonly updated_at: string
  readonly last_sign_in_at?: string
}

/** User with wallets and factors. */
export interface UserBody {
  readonly id: string
  readonly aud: "authenticated"
  readonly role: "authenticated"
  readonly email: ""
  readonly phone: ""
  readonly app_metadata: { readonly provider: "web3"; readonly providers: readonly ["web3"] }
  readonly user_metadata: Readonly<Record<string, string>>
  readonly identities: ReadonlyArray<IdentityBody>
  readonly factors: ReadonlyArray<FactorBody>
  readonly is_anonymous: false
  readonly created_at: string
  readonly updated_at: string
  readonly last_sign_in_at?: string
}

/** A user's wallet as the venue stores it. */
export interface IdentityRecord {
  readonly identityId: string
  readonly subject: string
  readonly userId: UserId
  /** Wallet address with checksum (EIP-55). */
  readonly address: string
  readonly network: string
  readonly domain: string
  readonly statement: string
  readonly createdAtMillis: number
  readonly updatedAtMillis: number
  /** Null before the first sign-in with the wallet. */
  readonly lastSignInAtMillis: number | null
}

/** User as the venue stores it. */
export interface UserRecord {
  readonly userId: UserId
  readonly createdAtMillis: number
  readonly identities: ReadonlyArray<IdentityRecord>
  readonly factors: ReadonlyArray<FactorRecord>
}

/** Returns the body of a user. */
export const userBody = ({ createdAtMillis, factors, identities, userId }: UserRecord): UserBody => {
  const signIns = identities.flatMap(({ lastSignInAtMillis }) => lastSignInAtMillis ?? [])
  const [wallet] = identities
  return {
    id: userId,
    aud: "authenticated",
    role: "authenticated",
    email: "",
    phone: "",
    app_metadata: { provider: "web3", providers: ["web3"] },
    user_metadata: wallet === undefined ? {} : metadata(wallet),
    identities: identities.map(identityBody),
    factors: factors.map(factorBody),
    is_anonymous: false,
    created_at: instant(createdAtMillis),
    updated_at: instant(Math.max(createdAtMillis, ...identities.map(({ updatedAtMillis }) => updatedAtMillis))),
    ...lastSignIn(signIns.length === 0 ? null : Math.max(...signIns))
  }
}

const identityBody = (identity: IdentityRecord): IdentityBody => ({
  identity_id: identity.identityId,
  id: identity.subject,
  user_id: identity.userId,
  provider: "web3",
  identity_data: {},
  created_at: instant(identity.createdAtMillis),
  updated_at: instant(identity.updatedAtMillis),
  ...lastSignIn(identity.lastSignInAtMillis)
})

/** Returns a wallet's metadata; network, domain and statement are known only after a sign-in. */
const metadata = ({ address, domain, lastSignInAtMillis, network, statement }: IdentityRecord) => ({
  address,
  chain: "ethereum",
  ...(lastSignInAtMillis === null ? {} : { network, domain, statement })
})

const lastSignIn = (millis: number | null) => (millis === null ? {} : { last_sign_in_at: instant(millis) })
