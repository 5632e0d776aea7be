/** Wallet that signs any message. */
import { Clock, Effect } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { serviceName, signInUri } from "./SignInPage.ts"

export interface MessageFields {
  readonly domain: string
  readonly uri: string
  readonly statement: string
  readonly nonce: string
  readonly chainId: string
  readonly issuedAtMillis: number
}

export interface Proof {
  readonly chain: "ethereum"
  readonly message: string
  readonly signature: string
}

export interface Wallet {
  /** EIP-55 checksummed address. */
  readonly address: string
  readonly sign: (message: string) => Effect.Effect<string>
  /** Returns a signed sign-in message that is valid except for the given fields. */
  readonly proof: (fields?: Partial<MessageFields>) => Effect.Effect<Proof>
}

export const wallet = (): Wallet => {
  const account = privateKeyToAccount(generatePrivateKey())
  const sign = (message: string) => Effect.promise(() => account.signMessage({ message }))
  return {
    address: account.address,
    sign,
    proof: Effect.fnUntraced(function* (fields = {}) {
      const message = text(account.address, { issuedAtMillis: yield* Clock.currentTimeMillis, ...fields })
      return { chain: "ethereum", message, signature: yield* sign(message) }
    })
  }
}

const text = (
  address: string,
  { issuedAtMillis, ...fields }: Partial<MessageFields> & Pick<MessageFields, "issuedAtMillis">
): string => {
  const {
    chainId = "42161",
    domain = new URL(signInUri).host,
    nonce = crypto.randomUUID().replaceAll("-", ""),
    statement = `Sign in to ${serviceName}`,
    uri = signInUri
  } = fields
  return [
    `${domain} wants you to sign in with your Ethereum account:`,
    address,
    "",
    statement,
    "",
    `URI: ${uri}`,
    "Version: 1",
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${new Date(issuedAtMillis).toISOString()}`
  ].join("\n")
}
