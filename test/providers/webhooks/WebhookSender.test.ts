import { LoopbackEndpoints } from "@venue/providers/webhooks/Endpoint"
import { bodyOf } from "@venue/providers/webhooks/WebhookBody"
import { WebhookSender } from "@venue/providers/webhooks/WebhookSender"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import { createHmac, timingSafeEqual } from "node:crypto"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { credited, settled } from "./Message.ts"
import { file, type Heard, receiver, resolver, status } from "./Receiver.ts"

const secret = Redacted.make("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwTheSecretOfAUser0A=")
const here = resolver({ localhost: [["127.0.0.1"]] })

const onLoopback = (dns: ReturnType<typeof resolver>) =>
  WebhookSender.layer.pipe(Layer.provide(dns.layer), Layer.provide(Layer.succeed(LoopbackEndpoints)(true)))
const inPublic = (dns: ReturnType<typeof resolver>) => WebhookSender.layer.pipe(Layer.provide(dns.layer))

const send = (url: string, message = credited, messageId = "msg_1") =>
  Effect.flatMap(WebhookSender, (sender) => sender.send({ url, secret, messageId, body: bodyOf(message) }))

it.live("sends a deposit message that a receiver can verify and read with the published library", () =>
  Effect.gen(function* () {
    const { heard, port } = yield* receiver(status(204))
    assert.deepStrictEqual(yield* send(`http://localhost:${port}/venue?of=me`), { status: 204, fault: null })
    const { body, headers, method, url } = yield* Queue.take(heard)
    assert.deepStrictEqual([method, url], ["POST", "/venue?of=me"])
    assert.strictEqual(headers.host, `localhost:${port}`)
    assert.strictEqual(headers["content-type"], "application/json")
    assert.strictEqual(headers["user-agent"], "venue-webhooks/1")
    assert.strictEqual(headers["webhook-id"], "msg_1")
    const read = new Webhook(Redacted.value(secret)).verify(body, headers as Record<string, string>)
    assert.deepStrictEqual(read, {
      type: "deposit.credited",
      timestamp: "2026-03-02T15:05:00.000Z",
      data: {
        id: credited.subjectId,
        kind: "crypto",
        amount: 250.5,
        asset: "USDC",
        network: "ARBITRUM_ONE",
        status: "CREDITED",
        tx_hash: "0xabc",
        created_at: "2026-03-02T15:04:00.000Z",
        credited_at: "2026-03-02T15:05:00.000Z"
      }
    })
    const changed = body.replace("250.5", "250.6")
    assert.throws(() => new Webhook(Redacted.value(secret)).verify(changed, headers as Record<string, string>))
  }).pipe(Effect.scoped, Effect.provide(onLoopback(here)))
)

/** The check from `docs/api/webhooks.md`, run at the message's time. */
const isOurs = (secret: string, headers: Heard["headers"], body: string): boolean => {
  const key = Buffer.from(secret.slice("whsec_".length), "base64")
  const signed = `${headers["webhook-id"] as string}.${headers["webhook-timestamp"] as string}.${body}`
  const expected = Buffer.from(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`)
  return (headers["webhook-signature"] as string).split(" ").some((signature) => {
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

it.effect(
  "sends a withdrawal message that a receiver can verify without a library, with the same id in each attempt",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 2, 2, 15, 10))
      const { heard, port } = yield* receiver(status(200))
      yield* send(`http://127.0.0.1:${port}`, settled)
      yield* TestClock.adjust("10 seconds")
      yield* send(`http://127.0.0.1:${port}`, settled)
      const [first, second] = [yield* Queue.take(heard), yield* Queue.take(heard)]
      for (const { body, headers } of [first, second]) {
        assert.isTrue(isOurs(Redacted.value(secret), headers, body))
        assert.isFalse(isOurs(`${Redacted.value(secret).slice(0, -4)}AAA=`, headers, body))
        assert.isFalse(isOurs(Redacted.value(secret), headers, `${body} `))
      }
      assert.strictEqual(first.headers["webhook-timestamp"], String(Date.UTC(2026, 2, 2, 15, 10) / 1_000))
      assert.strictEqual(Number(second.headers["webhook-timestamp"]), Number(first.headers["webhook-timestamp"]) + 10)
      assert.strictEqual(second.headers["webhook-id"], first.headers["webhook-id"])
      assert.strictEqual(second.body, first.body)
      assert.deepStrictEqual(JSON.parse(first.body).data, {
        id: settled.subjectId,
        kind: "fiat",
        amount: 500,
        fee: 25,
        net_amount: 475,
        payment_rail: "wire",
        destination: "****6789",
        status: "SETTLED",
        tx_hash: null,
        created_at: "2026-03-02T15:04:00.000Z",
        updated_at: "2026-03-02T15:09:00.000Z"
      })
    }).pipe(Effect.scoped, Effect.provide(onLoopback(here)))
)

it.live("requires a TLS certificate for the URL's host, although the connection goes to a resolved IP address", () =>
  Effect.gen(function* () {
    const { heard, port } = yield* receiver(status(200), { tls: true })
    const before = getCACertificates("default")
    const untrusted = yield* send(`https://localhost:${port}`)
    assert.match(untrusted.fault ?? "", /^the connection failed: (UNABLE|SELF|DEPTH)/)
    yield* Effect.acquireRelease(
      Effect.sync(() => setDefaultCACertificates([...before, file("authority.pem")])),
      () => Effect.sync(() => setDefaultCACertificates(before))
    )
    assert.deepStrictEqual(yield* send(`https://localhost:${port}`), { status: 200, fault: null })
    assert.strictEqual((yield* Queue.take(heard)).headers.host, `localhost:${port}`)
    const byAddress = yield* send(`https://127.0.0.1:${port}`)
    assert.strictEqual(byAddress.fault, "the connection failed: ERR_TLS_CERT_ALTNAME_INVALID")
    assert.strictEqual(yield* Queue.size(heard), 0)
  }).pipe(Effect.scoped, Effect.provide(onLoopback(here)))
)

it.live.each(["10.0.0.1", "127.0.0.1", "169.254.169.254", "100.64.0.1", "::1", "::ffff:8.8.8.8", "fd00::1"])(
  "sends nothing to a name that resolves to %s, alone or together with a public address",
  (address) => {
    const dns = resolver({ "hooks.example": [[address]], "both.example": [["1.1.1.1", address]] })
    return Effect.gen(function* () {
      const fault = "the host has no public address"
      assert.deepStrictEqual(yield* send("https://hooks.example/"), { status: null, fault })
      assert.deepStrictEqual(yield* send("https://both.example/"), { status: null, fault })
      assert.deepStrictEqual(yield* send("https://nobody.example/"), { status: null, fault })
    }).pipe(Effect.provide(inPublic(dns)))
  }
)

it.live("without loopback mode, sends nothing to this machine, even for a URL that was accepted before", () =>
  Effect.gen(function* () {
    const { heard, port } = yield* receiver(status(200))
    const expected = { status: null, fault: "the endpoint must be a URL that begins with https:" }
    assert.deepStrictEqual(yield* send(`http://localhost:${port}`), expected)
    assert.match((yield* send("https://localhost")).fault ?? "", /public host/)
    assert.strictEqual(yield* Queue.size(heard), 0)
  }).pipe(Effect.scoped, Effect.provide(inPublic(here)))
)

it.live("connects to the checked IP address, and resolves a name once per attempt", () => {
  const dns = resolver({ localhost: [["127.0.0.2"], ["10.0.0.1"], ["127.0.0.1"]] })
  return Effect.gen(function* () {
    const { heard, port } = yield* receiver(status(200), { host: "127.0.0.2" })
    assert.deepStrictEqual(yield* send(`http://localhost:${port}`), { status: 200, fault: null })
    assert.lengthOf(dns.asked, 1)
    // The name resolves to a private address now, and to another address of this machine later.
    assert.strictEqual((yield* send(`http://localhost:${port}`)).fault, "the host has no public address")
    assert.strictEqual((yield* send(`http://localhost:${port}`)).fault, "the connection failed: ECONNREFUSED")
    assert.lengthOf(dns.asked, 3)
    assert.strictEqual(yield* Queue.size(heard), 1)
  }).pipe(Effect.scoped, Effect.provide(onLoopback(dns)))
})

it.live("tries another IP address if the first does not respond", () => {
  const dns = resolver({ localhost: [["127.0.0.3", "127.0.0.2"]] })
  return Effect.gen(function* () {
    const { port } = yield* receiver(status(200), { host: "127.0.0.2" })
    assert.deepStrictEqual(yield* send(`http://localhost:${port}`), { status: 200, fault: null })
  }).pipe(Effect.scoped, Effect.provide(onLoopback(dns)))
})

it.live("does not follow a redirect", () =>
  Effect.gen(function* () {
    const { heard, port } = yield* receiver(status(307, { location: "/elsewhere" }))
    const fault = "the endpoint returned status 307; redirects are not followed"
    assert.deepStrictEqual(yield* send(`http://127.0.0.1:${port}`), { status: 307, fault })
    assert.strictEqual(yield* Queue.size(heard), 1)
  }).pipe(Effect.scoped, Effect.provide(onLoopback(here)))
)

it.live("reports status 500 as a failure, without the response's content", () =>
  Effect.gen(function* () {
    const { port } = yield* receiver((response) => response.writeHead(500, "Canary").end("canary of the receiver"))
    const fault = "the endpoint returned status 500"
    assert.deepStrictEqual(yield* send(`http://127.0.0.1:${port}`), { status: 500, fault })
  }).pipe(Effect.scoped, Effect.provide(onLoopback(here)))
)

it.effect("gives up on a silent endpoint after ten seconds", () =>
  Effect.gen(function* () {
    const ended = yield* Queue.unbounded<void>()
    const { heard, port } = yield* receiver((response) =>
      response.on("close", () => Queue.offerUnsafe(ended, undefined))
    )
    const sent = yield* Effect.forkChild(send(`http://127.0.0.1:${port}`))
    yield* Queue.take(heard)
    yield* TestClock.adjust("9999 millis")
    assert.isUndefined(sent.pollUnsafe())
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* Fiber.join(sent), {
      status: null,
      fault: "the endpoint did not respond within 10 seconds"
    })
    yield* Queue.take(ended)
  }).pipe(Effect.scoped, Effect.provide(onLoopback(here)))
)

it.effect("accepts a status even if the rest of the response never arrives", () =>
  Effect.gen(function* () {
    const { heard, port } = yield* receiver((response) => response.writeHead(200).write("more is"))
    const sent = yield* Effect.forkChild(send(`http://127.0.0.1:${port}`))
    yield* Queue.take(heard)
    while (sent.pollUnsafe() === undefined) {
      yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
      yield* TestClock.adjust("100 millis")
    }
    assert.deepStrictEqual(yield* Fiber.join(sent), { status: 200, fault: null })
  }).pipe(Effect.scoped, Effect.provide(onLoopback(here)))
)

it.live("I48: reads only a small part of a huge response", () =>
  Effect.gen(function* () {
    let written = 0
    const stopped = yield* Queue.unbounded<void>()
    const { port } = yield* receiver((response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) written += 65_536
      }
      response.on("drain", more).on("close", () => Queue.offerUnsafe(stopped, undefined))
      more()
    })
    assert.deepStrictEqual(yield* send(`http://127.0.0.1:${port}`), { status: 200, fault: null })
    yield* Queue.take(stopped)
    // The server can write only as much as the connection's buffers hold.
    assert.isBelow(written, 32 * 1_048_576)
  }).pipe(Effect.scoped, Effect.provide(onLoopback(here)))
)

it.live("reports oversized headers, an invalid response and a cut connection as failures", () =>
  Effect.gen(function* () {
    const huge = yield* receiver((response) => response.writeHead(200, { "x-long": "a".repeat(100_000) }).end())
    assert.strictEqual(
      (yield* send(`http://127.0.0.1:${huge.port}`)).fault,
      "the connection failed: HPE_HEADER_OVERFLOW"
    )
    const none = yield* receiver((response) => response.socket!.end("nothing of HTTP\r\n\r\n"))
    assert.strictEqual(
      (yield* send(`http://127.0.0.1:${none.port}`)).fault,
      "the connection failed: HPE_INVALID_CONSTANT"
    )
    const cut = yield* receiver((response) => response.socket!.destroy())
    assert.strictEqual((yield* send(`http://127.0.0.1:${cut.port}`)).fault, "the connection failed: ECONNRESET")
  }).pipe(Effect.scoped, Effect.provide(onLoopback(here)))
)
