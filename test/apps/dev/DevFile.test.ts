/** Contents and errors of `dev.json`, the file of a venue on this machine. */
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, FileSystem, Layer, Path, PlatformError, Redacted } from "effect"
import * as DevFile from "../../../apps/dev/DevFile.ts"

const missing = new PlatformError.SystemError({ _tag: "NotFound", module: "FileSystem", method: "readFileString" })

const folder = (files: Readonly<Record<string, string>>) =>
  Layer.mergeAll(
    Path.layer,
    ConfigProvider.layer(ConfigProvider.fromUnknown({ VENUE_DATA_DIR: "data" })),
    FileSystem.layerNoop({
      readFileString: (path) =>
        files[path] === undefined ? Effect.fail(new PlatformError.PlatformError(missing)) : Effect.succeed(files[path])
    })
  )

it.effect("reads the venue's URLs and users from the file dev.json in the data directory", () =>
  Effect.gen(function* () {
    const dev = yield* DevFile.load
    assert.strictEqual(dev.urls.trade, "ws://t")
    assert.strictEqual(Redacted.value(dev.users[0]!.secret_key), "s")
  }).pipe(
    Effect.provide(
      folder({
        "data/dev.json": JSON.stringify({
          urls: { rest: "http://r", trade: "ws://t", market_data: "ws://m", admin: "http://a" },
          users: [{ name: "alice", public_key: "p", secret_key: "s", user_id: "u" }]
        })
      })
    )
  )
)

it.effect(
  "reports a missing dev.json as a venue that is not running, and a dev.json with other content as unreadable",
  () =>
    Effect.gen(function* () {
      const none = yield* Effect.flip(DevFile.load.pipe(Effect.provide(folder({}))))
      assert.strictEqual(none._tag, "NoVenue")
      const strange = yield* Effect.flip(DevFile.load.pipe(Effect.provide(folder({ "data/dev.json": "{}" }))))
      assert.strictEqual(strange._tag, "UnreadableDevFile")
    })
)
