/** A node's TLS files: complete and valid, or refused with the setting's name. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, FileSystem, Path, Redacted } from "effect"
import { join } from "node:path"
import * as Agreement from "../../../apps/process/Agreement.ts"
import * as NodeSettings from "../../../apps/process/NodeSettings.ts"

const folder = join(import.meta.dirname, "../../cluster/certificates")
const whole = {
  VENUE_CLUSTER_TLS_CERT: join(folder, "runner.pem"),
  VENUE_CLUSTER_TLS_KEY: join(folder, "runner.key"),
  VENUE_CLUSTER_TLS_CA: join(folder, "authority.pem")
}

const load = (variables: Readonly<Record<string, string>>) =>
  NodeSettings.load("runner").pipe(
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown({
        VENUE_DATABASE_URL: "postgres://db/venue",
        VENUE_SECRET_KEY: "0123456789abcdef0123456789abcdef",
        VENUE_CLUSTER_ADDRESS: "10.0.0.3:4100",
        ...variables
      })
    ),
    Effect.provide(NodeServices.layer)
  )

it.live("refuses a certificate without its key or its authority, and names the setting", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const broken = (yield* Path.Path).join(yield* files.makeTempDirectoryScoped(), "broken.pem")
    yield* files.writeFileString(broken, "-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n")
    const { VENUE_CLUSTER_TLS_CA: _ca, ...withoutAuthority } = whole
    const { VENUE_CLUSTER_TLS_CERT: _cert, ...withoutCertificate } = whole
    const { VENUE_CLUSTER_TLS_KEY: _key, ...withoutKey } = whole
    const cases: ReadonlyArray<readonly [variables: Readonly<Record<string, string>>, expected: string]> = [
      [withoutKey, "VENUE_CLUSTER_TLS_KEY: expected a PEM file: set either all of VENUE_CLUSTER_TLS_CERT, "],
      [withoutCertificate, "VENUE_CLUSTER_TLS_CERT: expected a PEM file: set either all of "],
      [withoutAuthority, "VENUE_CLUSTER_TLS_CA: expected a PEM file: set either all of "],
      [
        { ...whole, VENUE_CLUSTER_TLS_CERT: join(folder, "gone.pem") },
        "VENUE_CLUSTER_TLS_CERT: expected the path of a file that this user can read"
      ],
      [
        { ...whole, VENUE_CLUSTER_TLS_KEY: join(folder, "gateway.key") },
        "VENUE_CLUSTER_TLS_KEY: expected the private key of the certificate in VENUE_CLUSTER_TLS_CERT"
      ],
      [{ ...whole, VENUE_CLUSTER_TLS_CERT: broken }, "VENUE_CLUSTER_TLS_CERT: expected a PEM certificate"],
      [{ ...whole, VENUE_CLUSTER_TLS_KEY: broken }, "VENUE_CLUSTER_TLS_KEY: expected a PEM private key without a"],
      [
        { ...whole, VENUE_CLUSTER_TLS_CA: broken },
        "VENUE_CLUSTER_TLS_CA: expected a PEM certificate of a certificate authority"
      ]
    ]
    for (const [variables, expected] of cases) {
      const { message } = yield* Effect.flip(load(variables))
      assert.isTrue(message.startsWith(expected), message)
    }
    const { tls } = yield* load(whole)
    assert.strictEqual(Redacted.value(tls!.key), yield* files.readFileString(whole.VENUE_CLUSTER_TLS_KEY))
    assert.isUndefined((yield* load({})).tls)
  }).pipe(Effect.provide(NodeServices.layer))
)

it.live("nodes with certificates and nodes without certificates do not join the same cluster", () =>
  Effect.gen(function* () {
    const hashes = (variables: Readonly<Record<string, string>>) =>
      Effect.map(load(variables), (settings) => Agreement.hashesOf(settings))
    const [plain, shown] = [yield* hashes({}), yield* hashes(whole)]
    assert.deepStrictEqual(
      Object.keys(plain).filter((name) => plain[name] !== shown[name]),
      ["whether nodes show certificates"]
    )
  })
)
