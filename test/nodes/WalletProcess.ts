/** Runs the wallet as a separate process, with public test keys. */
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

/** Environment of a wallet with a new record. */
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

/** Runs a wallet that is expected to exit. Returns its exit code and output. */
export const ended = (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const child = start(environment, args)
    const [out, error, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, "exit")])
    return { code: code as number | null, output: out + error }
  })

export interface WalletProcess {
  readonly url: string
  readonly kill: Effect.Effect<void>
  /** Returns the complete output. */
  readonly output: () => string
}

/** Starts a wallet, which is killed with SIGKILL when the scope closes. */
export const running = (
  environment: Readonly<Record<string, string>>
): Effect.Effect<WalletProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = start(environment, [])
      let output = ""
      const url = new Promise<string>((resolve, reject) => {
        const collect = (bytes: Buffer) => {
          output += String(bytes)
          const address = / listens at (\S+)\n/.exec(output)?.[1]
          if (address !== undefined) resolve(address)
        }
        child.stdout!.on("data", collect)
        child.stderr!.on("data", collect)
        child.once("exit", () => reject(new Error(`the wallet ended: ${output}`)))
      })
      return { child, url: await url, output: () => output }
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
