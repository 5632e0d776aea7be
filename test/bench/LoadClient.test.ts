/** The load client and the reference server (anchor) reproduce the benchmark flow. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freshDatabase } from "../Postgres.ts"
import { makeFlow, type Totals, writeFlow } from "./Flow.ts"
import type { LoadMessage, LoadOptions, LoadReport } from "./LoadClient.ts"

const lotsPerFlowLot = 100

const child = (file: string, ...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => fork(fileURLToPath(new URL(file, import.meta.url)), args)),
    (process) => Effect.sync(() => void process.kill())
  )

const hears = <A>(process: ChildProcess, isIt: (message: A) => boolean = () => true) =>
  Effect.callback<A>((resume) => {
    const listener = (message: unknown): void => {
      if (isIt(message as A)) resume(Effect.succeed(message as A))
    }
    process.on("message", listener)
    return Effect.sync(() => process.off("message", listener))
  })

it.live("if one client pair sends all orders in sequence, the reference server's book reaches the control totals", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "venue-load-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const flowFile = join(folder, "flow.bin")
    const flow = makeFlow(2_000, 300)
    writeFlow(flowFile, flow)

    const anchor = yield* child("./Anchor.ts", Redacted.value(yield* freshDatabase), "0")
    const { port } = yield* hears<{ readonly port: number }>(anchor)
    const options: LoadOptions = {
      url: `ws://127.0.0.1:${port}`,
      flowFile,
      keysFile: null,
      connections: 1,
      inFlight: 8,
      seconds: 60,
      tag: "t-",
      lotsPerFlowLot,
      clear: false,
      totals: true
    }
    const load = yield* child("./LoadClient.ts", JSON.stringify(options))
    const report = (yield* hears<LoadMessage>(load, ({ event }) => event !== "Started")) as LoadReport
    assert.deepInclude(report, {
      event: "Finished",
      orders: 2_000,
      missed: 0,
      unanswered: 0,
      exhausted: true,
      refused: {}
    })

    anchor.send("totals")
    const { totals } = yield* hears<{ readonly totals: Totals }>(anchor)
    const { notional, volume, ...rest } = flow.totals
    assert.deepStrictEqual(totals, { ...rest, volume: volume * lotsPerFlowLot, notional: notional * lotsPerFlowLot })
  }).pipe(Effect.scoped)
)
