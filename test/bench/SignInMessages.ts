/** Wallet sign-in requests in the form in which a web page sends them. */
import { addressOf } from "../../apps/dev/Wallets.ts"
import { randomBytes } from "node:crypto"
import secp256k1 from "secp256k1"
import { hashMessage } from "viem/utils"

/** Sign-in endpoint, as described in the venue's `dev.json` file. */
export interface Place {
  readonly port: number
  readonly clientKey: string
  readonly serviceName: string
  readonly uri: string
}

export interface Wallet {
  readonly address: string
  readonly key: Uint8Array
}

export const makeWallet = (): Wallet => {
  const key = randomBytes(32)
  return { key, address: addressOf(`0x${key.toString("hex")}`) }
}

export const path = "/auth/v1/token?grant_type=web3"

export const headersOf = ({ clientKey, port }: Place): Readonly<Record<string, string>> => ({
  host: `127.0.0.1:${port}`,
  apikey: clientKey,
  authorization: `Bearer ${clientKey}`,
  "content-type": "application/json;charset=UTF-8"
})

/** Returns a sign-in message for this address, issued now. The message is valid if the key belongs to the address. */
export const body = ({ serviceName, uri }: Place, address: string, key: Uint8Array): string => {
  const message = [
    `${new URL(uri).host} wants you to sign in with your Ethereum account:`,
    address,
    "",
    `Sign in to ${serviceName}`,
    "",
    `URI: ${uri}`,
    "Version: 1",
    "Chain ID: 42161",
    `Nonce: ${randomBytes(16).toString("hex")}`,
    `Issued At: ${new Date().toISOString()}`
  ].join("\n")
  const { recid, signature } = secp256k1.ecdsaSign(hashMessage(message, "bytes"), key)
  const text = `0x${Buffer.from(signature).toString("hex")}${(27 + recid).toString(16)}`
  return JSON.stringify({ chain: "ethereum", message, signature: text })
}
