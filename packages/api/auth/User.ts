/** A user, as clients of the authentication service know one. */
import type { UserId } from "@venue/domain/UserId"
import { instant } from "../Digits.ts"
import { type FactorBody, factorBody, type FactorSeen } from "./Factor.ts"

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

export interface IdentitySeen {
  readonly identityId: string
  readonly subject: string
  readonly userId: UserId
  /** With its checksum. */
  readonly address: string
  readonly network: string
  readonly domain: string
  readonly statement: string
  readonly createdAtMillis: number
  readonly updatedAtMillis: number
  /** Null while nobody signed in with it. */
  readonly lastSignInAtMillis: number | null
}

export interface UserSeen {
  readonly userId: UserId
  readonly createdAtMillis: number
  readonly identities: ReadonlyArray<IdentitySeen>
  readonly factors: ReadonlyArray<FactorSeen>
}

export const userBody = ({ createdAtMillis, factors, identities, userId }: UserSeen): UserBody => {
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

const identityBody = (identity: IdentitySeen): IdentityBody => ({
  identity_id: identity.identityId,
  id: identity.subject,
  user_id: identity.userId,
  provider: "web3",
  identity_data: {},
  created_at: instant(identity.createdAtMillis),
  updated_at: instant(identity.updatedAtMillis),
  ...lastSignIn(identity.lastSignInAtMillis)
})

/** What was signed is known only of a wallet that signed in. */
const metadata = ({ address, domain, lastSignInAtMillis, network, statement }: IdentitySeen) => ({
  address,
  chain: "ethereum",
  ...(lastSignInAtMillis === null ? {} : { network, domain, statement })
})

const lastSignIn = (millis: number | null) => (millis === null ? {} : { last_sign_in_at: instant(millis) })
