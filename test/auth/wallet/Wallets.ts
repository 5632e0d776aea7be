/** Test wallets and their signed messages. The venue verifies signatures with a different library. */
import { Wallet } from "ethers"

/** Returns the wallet with a number from 1 to 254; `wallet(0x11)` is the one in the contract's examples. */
export const wallet = (n: number) => {
  const signer = new Wallet(`0x${n.toString(16).padStart(2, "0").repeat(32)}`)
  return {
    /** EIP-55 checksummed address. */
    address: signer.address,
    /** Signs according to EIP-191, with v of 27 or 28. */
    sign: (text: string): string => signer.signMessageSync(text)
  }
}

/** Fields of a message as written; `undefined` omits the line. */
export interface MessageFields {
  readonly domain: string
  readonly address: string
  readonly statement: string | undefined
  readonly uri: string | undefined
  readonly version: string | undefined
  readonly chainId: string | undefined
  readonly nonce: string | undefined
  readonly issuedAt: string | undefined
  readonly expirationTime: string | undefined
  readonly notBefore: string | undefined
  readonly requestId: string | undefined
  readonly resources: ReadonlyArray<string> | undefined
}

export const issuedAtMillis = Date.UTC(2026, 2, 1, 12)

/** Returns the sign-in message of the contract's example, with some fields overridden. */
export const signInMessage = (overrides: Partial<MessageFields> = {}): string => {
  const fields: MessageFields = {
    domain: "app.venue.example",
    address: "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A",
    statement: "Sign in to Example Venue",
    uri: "https://app.venue.example/login",
    version: "1",
    chainId: "42161",
    nonce: "k3J9sQ2mXv7TzB1c",
    issuedAt: "2026-03-01T12:00:00.000Z",
    expirationTime: undefined,
    notBefore: undefined,
    requestId: undefined,
    resources: undefined,
    ...overrides
  }
  const line = (name: string, value: string | undefined) => (value === undefined ? [] : [`${name}: ${value}`])
  return [
    `${fields.domain} wants you to sign in with your Ethereum account:`,
    fields.address,
    "",
    ...(fields.statement === undefined ? [] : [fields.statement]),
    "",
    ...line("URI", fields.uri),
    ...line("Version", fields.version),
    ...line("Chain ID", fields.chainId),
    ...line("Nonce", fields.nonce),
    ...line("Issued At", fields.issuedAt),
    ...line("Expiration Time", fields.expirationTime),
    ...line("Not Before", fields.notBefore),
    ...line("Request ID", fields.requestId),
    ...(fields.resources === undefined ? [] : ["Resources:", ...fields.resources.map((uri) => `- ${uri}`)])
  ].join("\n")
}
