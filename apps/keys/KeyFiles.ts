/** The keys of a venue, in groups of files that belong together. */
import { Buffer } from "node:buffer"
import { HDKey } from "viem/accounts"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Certificate from "./Certificate.ts"

export interface KeyGroup {
  readonly what: string
  /** Files that are made if none of them exists. */
  readonly files: ReadonlyArray<string>
  /** Returns the content of each file. `existing` has the files of other groups that `needs` names. */
  readonly make: (existing: Readonly<Record<string, string>>, nowMillis: number) => Readonly<Record<string, string>>
  /** Files of other groups. The group is left out if one of them is missing. */
  readonly needs?: ReadonlyArray<string>
}

const hex = (bytes: number): string => Buffer.from(SecureRandom.randomBytesUnsafe(bytes)).toString("hex")

const secret = (file: string, what: string, make: () => string): KeyGroup => ({
  what,
  files: [file],
  make: () => ({ [file]: make() })
})

/** Extended keys of deposit addresses (BIP-32, BIP-44), and the key of the hot account. */
const chain = (name: string, coin: number, hotFile: string, xprvFile: string, prefix: string): KeyGroup => {
  const files = [`${name}_seed`, xprvFile, `${name}_xpub`, hotFile]
  return {
    what: `${name}: seed, extended keys of the deposit addresses, key of the hot account`,
    files,
    make: () => {
      const seed = SecureRandom.randomBytesUnsafe(32)
      const parent = HDKey.fromMasterSeed(seed).derive(`m/44'/${coin}'/0'/0`)
      const contents = [
        Buffer.from(seed).toString("hex"),
        parent.privateExtendedKey,
        parent.publicExtendedKey,
        `${prefix}${hex(32)}`
      ]
      return Object.fromEntries(files.map((file, index) => [file, contents[index]!]))
    }
  }
}

/** Values that a provider issues or an operator chooses. */
const optional = [
  "admin_tls_cert",
  "admin_tls_key",
  "arbitrum_rpc_urls",
  "bank_key",
  "bank_webhook_secret",
  "captcha_secret",
  "identity_key",
  "migration_database_url",
  "tron_api_key",
  "tron_node_urls"
]

export const groups: ReadonlyArray<KeyGroup> = [
  secret("secret_key", "encryption of stored secrets", () => hex(32)),
  secret("admin_token", "token of the first operator", () => `admin_${hex(32)}`),
  secret("auth_client_key", "public key of the venue's own pages", () => `pk_live_${hex(16)}`),
  secret("builder_key", "authentication of builder messages", () => hex(32)),
  secret("identity_callback_key", "signature of the identity provider's callbacks", () => hex(32)),
  secret("wallet_secret", "shared by the runners and the wallet", () => hex(32)),
  {
    what: "password of the database of compose.yaml, and its URL",
    files: ["postgres_password", "database_url"],
    make: () => {
      const password = hex(24)
      return { postgres_password: password, database_url: `postgres://venue:${password}@postgres:5432/venue` }
    }
  },
  chain("arbitrum", 60, "wallet_hot_key", "wallet_xprv", "0x"),
  // No process reads tron_xprv: it belongs to the offline signer.
  chain("tron", 195, "wallet_tron_key", "tron_xprv", ""),
  {
    what: "authority of the nodes' certificates, for ten years",
    files: ["ca.crt", "ca.key"],
    make: (_, nowMillis) => {
      const { certificate, key } = Certificate.authority({ nowMillis, days: 3_650 })
      return { "ca.crt": certificate, "ca.key": key }
    }
  },
  {
    what: "certificate of the nodes, for two years",
    files: ["tls.crt", "tls.key"],
    needs: ["ca.crt", "ca.key"],
    make: (existing, nowMillis) => {
      const by = { certificate: existing["ca.crt"]!, key: existing["ca.key"]! }
      const { certificate, key } = Certificate.issue(by, { nowMillis, days: 730 })
      return { "tls.crt": certificate, "tls.key": key }
    }
  },
  // An empty file counts as unset.
  ...optional.map((file) => secret(file, "empty, which counts as unset: put in a value", () => ""))
]
