/** Listener of the operator interface: settings that are refused, TLS, the allow list, and replaced certificates. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as AdminServer from "@venue/gateway/admin/AdminServer"
import { Clock, ConfigProvider, Effect, FileSystem, Path, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { request } from "node:https"
import { join } from "node:path"
import type { PeerCertificate, TLSSocket } from "node:tls"
import { Settings } from "../../../apps/dev/Settings.ts"
import * as AdminListener from "../../../apps/process/AdminListener.ts"
import { adminToken, call, layer, raw } from "../../gateway/rest/RestClient.ts"

const folder = join(import.meta.dirname, "../../cluster/certificates")
const certificate = {
  VENUE_ADMIN_TLS_CERT: join(folder, "gateway.pem"),
  VENUE_ADMIN_TLS_KEY: join(folder, "gateway.key")
}

const read = (variables: Readonly<Record<string, string>>) =>
  Effect.flatMap(Settings.parse(ConfigProvider.fromUnknown(variables)), AdminListener.read).pipe(
    Effect.provide(NodeServices.layer)
  )

describe("settings of the operator interface", () => {
  const everywhere = { VENUE_ADMIN_HOST: "0.0.0.0" }
  const allow = { VENUE_ADMIN_ALLOW: "10.1.0.0/16" }
  const refusals: ReadonlyArray<readonly [title: string, variables: Readonly<Record<string, string>>, text: string]> = [
    [
      "refuses plain http on an address other than loopback",
      { ...everywhere, ...allow },
      "VENUE_ADMIN_HOST: expected a loopback address, not 0.0.0.0: plain http would show operator tokens to the network; " +
        "set VENUE_ADMIN_TLS_CERT and VENUE_ADMIN_TLS_KEY to serve https"
    ],
    [
      "refuses an address other than loopback without an allow list",
      { ...everywhere, ...certificate },
      "VENUE_ADMIN_ALLOW: expected the addresses or networks of the operators, because VENUE_ADMIN_HOST is 0.0.0.0"
    ],
    [
      "refuses an allow list with an invalid network",
      { VENUE_ADMIN_ALLOW: "10.0.0.0/33" },
      "VENUE_ADMIN_ALLOW: expected IP addresses, or networks such as 10.0.0.0/8"
    ],
    [
      "refuses a certificate without its key",
      { VENUE_ADMIN_TLS_CERT: certificate.VENUE_ADMIN_TLS_CERT },
      "VENUE_ADMIN_TLS_KEY: expected a PEM file: set both VENUE_ADMIN_TLS_CERT and VENUE_ADMIN_TLS_KEY, or neither"
    ],
    [
      "refuses the key of another certificate",
      { ...certificate, VENUE_ADMIN_TLS_KEY: join(folder, "runner.key") },
      "VENUE_ADMIN_TLS_KEY: expected the private key of the certificate in VENUE_ADMIN_TLS_CERT"
    ]
  ]
  for (const [title, variables, text] of refusals)
    it.effect(title, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip(read(variables))).message, text)
      })
    )

  it.effect("accepts plain http on loopback, and https with an allow list on any address", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read({}), { host: "127.0.0.1", allow: [], tls: undefined })
      const { allow: networks, tls } = yield* read({ ...everywhere, ...allow, ...certificate })
      assert.deepStrictEqual([networks, tls === undefined], [["10.1.0.0/16"], false])
    })
  )
})

interface Answered {
  readonly status: number
  readonly certificate: PeerCertificate
}

/** Sends a request over a new TLS connection that trusts no authority; the caller compares the certificate. */
const ask = (url: string, path: string) =>
  Effect.callback<Answered, Error>((resume) => {
    const sent = request(
      `${url}${path}`,
      { agent: false, rejectUnauthorized: false, headers: { authorization: `Bearer ${adminToken}` } },
      (response) => {
        const certificate = (response.socket as TLSSocket).getPeerCertificate()
        response.resume()
        response.on("end", () => resume(Effect.succeed({ status: response.statusCode!, certificate })))
      }
    )
    sent.on("error", (error) => resume(Effect.fail(error)))
    sent.end()
  })

const open = Effect.fnUntraced(function* (variables: Readonly<Record<string, string>>) {
  return yield* AdminServer.open({ ...(yield* read(variables)), port: 0, token: () => Redacted.make(adminToken) })
})

it.layer(layer, { excludeTestServices: true })("the operator interface with a certificate", (it) => {
  it.effect("serves https with the configured certificate, and closes plain http connections", () =>
    Effect.gen(function* () {
      const { url } = yield* open({ ...certificate, VENUE_ADMIN_ALLOW: "127.0.0.1" })
      assert.match(url, /^https:/)
      const { certificate: shown, status } = yield* ask(url, "/proof")
      assert.deepStrictEqual([status, shown.subject.CN], [200, "gateway"])
      assert.strictEqual(yield* raw(url, "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n"), "")
      assert.strictEqual((yield* ask(url, "/health/live")).status, 200)
    })
  )

  it.effect("closes connections from addresses outside the allow list before they send a request", () =>
    Effect.gen(function* () {
      const { url } = yield* open({ ...certificate, VENUE_ADMIN_ALLOW: "10.0.0.0/8, 192.0.2.7" })
      yield* Effect.flip(ask(url, "/health/live"))
      const plain = yield* open({ VENUE_ADMIN_ALLOW: "10.0.0.0/8" })
      assert.strictEqual(yield* raw(plain.url, "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n"), "")
      const local = yield* open({ VENUE_ADMIN_ALLOW: "127.0.0.0/8" })
      assert.strictEqual((yield* call(`${local.url}/health/live`)).status, 200)
    })
  )

  it.effect("uses a replaced certificate without a restart, and keeps the old one while the files do not match", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const clock = yield* TestClock.make()
      const place = yield* files.makeTempDirectoryScoped()
      const own = {
        VENUE_ADMIN_TLS_CERT: path.join(place, "admin.pem"),
        VENUE_ADMIN_TLS_KEY: path.join(place, "admin.key")
      }
      const put = (name: "gateway" | "runner", kind: "pem" | "key") =>
        files.copyFile(join(folder, `${name}.${kind}`), path.join(place, `admin.${kind}`))
      yield* put("gateway", "pem")
      yield* put("gateway", "key")
      const { url } = yield* open(own).pipe(Effect.provideService(Clock.Clock, clock))
      const name = Effect.map(ask(url, "/health/live"), ({ certificate: shown }) => shown.subject.CN)
      assert.strictEqual(yield* name, "gateway")

      yield* put("runner", "pem")
      yield* clock.adjust("5 seconds")
      assert.strictEqual(yield* name, "gateway")

      yield* put("runner", "key")
      // The files are read in the background.
      yield* Effect.repeat(Effect.andThen(clock.adjust("5 seconds"), name), { until: (shown) => shown === "runner" })
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
