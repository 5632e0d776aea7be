/** `npm run demo`: two demo users trade with each other through a running venue's public sockets. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Layer } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as DemoFunding from "./DemoFunding.ts"
import * as DemoStory from "./DemoStory.ts"
import * as DevFile from "./DevFile.ts"

const demo = DevFile.load.pipe(
  Effect.flatMap(DemoStory.run),
  Effect.andThen(DemoFunding.run),
  Effect.scoped,
  Effect.tapErrorTag("NoVenue", ({ path }) =>
    Console.error(`There is no venue at ${path}. Start the venue first: npm start`)
  ),
  Effect.tapErrorTag("UnreadableDevFile", ({ path }) =>
    Console.error(`${path} was not written by this version. Start the venue with this version: npm start`)
  ),
  Effect.tapErrorTag("DemoFailed", ({ message }) => Console.error(`The demo stopped: ${message}`)),
  Effect.provide(Layer.merge(NodeServices.layer, SecureRandom.layerWebCrypto))
)

NodeRuntime.runMain(demo, { disableErrorReporting: true })
