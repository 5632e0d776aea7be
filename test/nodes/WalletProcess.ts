/** The wallet as a process of its own, with keys that everybody knows. */
import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import * as TestRail from "../providers/rails/arbitrum/TestRail.ts"
import { token } from "../apps/wallet/Orders.ts"
import * as TestWallet from "../apps/wallet/TestWallet.ts"
import * as Boot from "./Boot.ts"
import * as Guard from "./Guard.ts"
import * as Ports from "./Ports.ts"

/** The settings that go with a new record. */
export const environment = Effect.gen(function* () {
  const { record } = yield* TestWallet.options()
  return {
    VENUE_WALLET_PORT: String(yield* Effect.promise(Ports.one)),
    VENUE_WALLET_SECRET: TestWallet.secret,
    VENUE_WALLET_RECORD: record,
    VENUE_WALLET_HOT_KEY: TestRail.hotKey,
    VENUE_WALLET_XPRV: TestRail.xprv,
    VENUE_ARBITRUM_TOKEN: token
  }
})

/** How it ends that does not go on. */
export const ended = (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const child = start(environment, args)
    const [out, error, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, "exit")])
    return { code: code as number | null, said: out + error }
  })

export interface WalletProcess {
  readonly url: string
  readonly kill: Effect.Effect<void>
  /** All that it has said. */
  readonly output: () => string
}

/** It is killed, as by a power cut, at the end of the scope at the latest. */
export const running = (
  environment: Readonly<Record<string, string>>
): Effect.Effect<WalletProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = start(environment, [])
      let said = ""
      const url = new Promise<string>((resolve, reject) => {
        const hear = (bytes: Buffer) => {
          said += String(bytes)
          const heard = / signs at (\S+)\n/.exec(said)?.[1]
          if (heard !== undefined) resolve(heard)
        }
        child.stdout!.on("data", hear)
        child.stderr!.on("data", hear)
        child.once("exit", () => reject(new Error(`the wallet ended: ${said}`)))
      })
      return { child, url: await url, output: () => said }
    }),
    ({ child }) => killed(child)
  ).pipe(Effect.map(({ child, output, url }) => ({ url, output, kill: killed(child) })))

const start = (environment: Readonly<Record<string, string>>, args: ReadonlyArray<string>): ChildProcess => {
  const child = spawn(
    process.execPath,
    [...Boot.flags, join(import.meta.dirname, "../../apps/wallet/main.ts"), ...args],
    {
      env: { ...Boot.environment, ...environment },
      stdio: ["ignore", "pipe", "pipe"]
    }
  )
  child.once("exit", Guard.over(child.pid!))
  return child
}

const killed = (child: ChildProcess) =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGKILL")
    await once(child, "exit")
  })
