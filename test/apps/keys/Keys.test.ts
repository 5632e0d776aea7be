/** `npm run keys`: files, their modes, and keys that each program accepts. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import * as DepositAddresses from "@venue/providers/rails/arbitrum/DepositAddresses"
import * as Transactions from "@venue/providers/rails/arbitrum/Transactions"
import * as TronTransaction from "@venue/providers/rails/tron/TronTransaction"
import { Effect, FileSystem, Option, Redacted, Result, type Scope } from "effect"
import { X509Certificate } from "node:crypto"
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import * as Tls from "node:tls"
import { HDKey } from "viem/accounts"
import * as Keys from "../../../apps/keys/Keys.ts"
import * as TlsFiles from "../../../apps/process/TlsFiles.ts"
import { compose } from "../../deploy/Manifests.ts"

const made = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const folder = join(yield* files.makeTempDirectoryScoped(), "secrets")
  yield* Keys.run([folder])
  const read = (name: string) => readFileSync(join(folder, name), "utf8")
  return { folder, read }
})

const inFolder = <A, E>(test: Effect.Effect<A, E, NodeServices.NodeServices | Scope.Scope>) =>
  test.pipe(Effect.scoped, Effect.provide(NodeServices.layer))

it.live("makes every secret that compose mounts, in files that only the owner can read, and replaces none", () =>
  inFolder(
    Effect.gen(function* () {
      const { folder, read } = yield* made
      const names = readdirSync(folder).toSorted()
      const mounted = new Set(Object.values(compose.services).flatMap(({ secrets }) => secrets ?? []))
      assert.includeMembers(names, [...mounted])
      for (const name of names) assert.strictEqual(statSync(join(folder, name)).mode & 0o777, 0o600, name)
      assert.strictEqual(statSync(folder).mode & 0o777, 0o700)
      assert.match(read("secret_key"), /^[0-9a-f]{64}$/)
      assert.include(read("database_url"), read("postgres_password"))

      const before = names.map(read)
      yield* Keys.run([folder])
      assert.deepStrictEqual(names.map(read), before)
      assert.deepStrictEqual(readdirSync(folder).toSorted(), names)
      rmSync(join(folder, "wallet_xprv"))
      const { message } = (yield* Effect.flip(Keys.run([folder]))) as Error
      assert.include(message, "wallet_xprv, made together with them, do not: restore the missing files")
      assert.include(((yield* Effect.flip(Keys.run([]))) as Error).message, "expected one argument, the folder")
    })
  )
)

it.live("the keys of both chains belong together, and differ for each venue", () =>
  inFolder(
    Effect.gen(function* () {
      const [first, second] = [yield* made, yield* made]
      const { read } = first
      const held = Transactions.keys(read("wallet_hot_key"), read("wallet_xprv"))
      assert.isTrue(Result.isSuccess(held))
      const xprv = HDKey.fromExtendedKey(read("wallet_xprv"))
      const xpub = HDKey.fromExtendedKey(read("arbitrum_xpub"))
      assert.isNull(xpub.privateKey)
      assert.strictEqual(
        DepositAddresses.addressOf(xprv.deriveChild(7)),
        DepositAddresses.addressOf(xpub.deriveChild(7))
      )
      const seed = Buffer.from(read("arbitrum_seed"), "hex")
      const derived = HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'/0")
      assert.strictEqual(derived.publicExtendedKey, read("arbitrum_xpub"))
      const tron = HDKey.fromMasterSeed(Buffer.from(read("tron_seed"), "hex")).derive("m/44'/195'/0'/0")
      assert.deepStrictEqual([tron.publicExtendedKey, tron.privateExtendedKey], [read("tron_xpub"), read("tron_xprv")])
      assert.isTrue(Result.isSuccess(TronTransaction.keyOf(Redacted.make(read("wallet_tron_key")))))
      for (const name of ["secret_key", "arbitrum_seed", "tron_seed", "wallet_hot_key", "ca.key"])
        assert.notStrictEqual(read(name), second.read(name))
    })
  )
)

/** Connects as a node with the files of `client` to a node with the files of `server`. Returns what the server saw. */
const handshake = (server: Record<"ca" | "cert" | "key", string>, client: Record<"ca" | "cert" | "key", string>) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve) => {
        const listening = Tls.createServer({
          ...server,
          requestCert: true,
          rejectUnauthorized: true,
          minVersion: "TLSv1.3"
        })
        const end = (outcome: string) => {
          listening.close()
          resolve(outcome)
        }
        listening.on("secureConnection", (socket) => {
          const outcome = socket.authorized ? "authorized" : "unauthorized"
          socket.destroy()
          end(outcome)
        })
        listening.on("tlsClientError", () => end("refused"))
        listening.listen(0, "127.0.0.1", () => {
          const { port } = listening.address() as AddressInfo
          const socket = Tls.connect({ ...client, host: "127.0.0.1", port, checkServerIdentity: () => undefined })
          socket.on("error", () => {})
        })
      })
  )

it.live("nodes accept certificates of their own authority, renewed ones too, and refuse those of another one", () =>
  inFolder(
    Effect.gen(function* () {
      const [own, other] = [yield* made, yield* made]
      const filesOf = ({ read }: typeof own) => ({ ca: read("ca.crt"), cert: read("tls.crt"), key: read("tls.key") })
      const first = filesOf(own)
      const [ca, cert] = [new X509Certificate(first.ca), new X509Certificate(first.cert)]
      assert.deepStrictEqual(
        [ca.ca, cert.ca, cert.checkIssued(ca), cert.verify(ca.publicKey)],
        [true, false, true, true]
      )
      const path = (name: string) => Option.some(join(own.folder, name))
      const read = yield* TlsFiles.read({ tlsCert: path("tls.crt"), tlsKey: path("tls.key"), tlsCa: path("ca.crt") })
      assert.strictEqual(read?.cert, first.cert)

      for (const name of ["tls.crt", "tls.key"]) rmSync(join(own.folder, name))
      yield* Keys.run([own.folder])
      const renewed = filesOf(own)
      assert.notStrictEqual(renewed.cert, first.cert)
      assert.strictEqual(yield* handshake(first, renewed), "authorized")
      assert.strictEqual(yield* handshake(first, { ...filesOf(other), ca: first.ca }), "refused")
      // During the replacement of the authority, nodes trust both.
      const both = { ...first, ca: first.ca + filesOf(other).ca }
      assert.strictEqual(yield* handshake(both, { ...filesOf(other), ca: first.ca }), "authorized")
    })
  )
)
