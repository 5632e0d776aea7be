/** One process of the cluster: started with its settings, heard line by line, and gone when this one is. */
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { Effect, Schema } from "effect"

export interface NodeProcessOptions {
  readonly name: string
  /** The file that is run. */
  readonly program: string
  /** Told to whoever lists processes, and of no use to the process itself. */
  readonly place: string
  /** Beside what this process was given; an undefined one is taken out of that. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly heard: (line: string) => void
}

export interface NodeProcess {
  readonly pid: number
  readonly ended: Effect.Effect<NodeEnd>
  readonly kill: () => void
}

export interface NodeEnd {
  /** A signal, or the exit code, in words. */
  readonly how: string
  /** It ended by itself, and not well. */
  readonly hasFailed: boolean
}

/** The system has no room for another process. */
export class NotLaunched extends Schema.TaggedError<NotLaunched>()("NotLaunched", { reason: Schema.String }) {}

/** It is asked to stop when the scope closes, and ended when it does not. */
export const launch = Effect.fn("NodeProcess.launch")(function* (options: NodeProcessOptions) {
  const child = yield* Effect.acquireRelease(begin(options), stop)
  return { pid: child.pid!, ended: ended(child), kill: () => void child.kill("SIGKILL") }
})

const begin = ({ environment, heard, name, place, program }: NodeProcessOptions) =>
  Effect.callback<ChildProcess, NotLaunched>((resume) => {
    const child = spawn(process.execPath, [...process.execArgv, program, name, place], {
      env: Object.fromEntries(
        Object.entries({ ...process.env, ...environment }).filter(([, value]) => value !== undefined)
      ),
      // Ctrl-C is for us to pass on, in order.
      detached: true,
      // The channel says nothing: that it closes tells the process that we are gone, however we went.
      stdio: ["ignore", "pipe", "pipe", "ipc"]
    })
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream! }).on("line", heard)
    child.once("error", ({ message }) => resume(Effect.fail(new NotLaunched({ reason: message }))))
    child.once("spawn", () => resume(Effect.succeed(child)))
  })

const ended = (child: ChildProcess): Effect.Effect<NodeEnd> =>
  Effect.callback<NodeEnd>((resume) => {
    const tell = () => {
      const { exitCode, signalCode } = child
      if (exitCode === null && signalCode === null) return
      resume(Effect.succeed({ how: signalCode ?? `exit code ${exitCode}`, hasFailed: (exitCode ?? 0) !== 0 }))
    }
    tell()
    // By then all that it said has been heard.
    child.on("close", tell)
    return Effect.sync(() => child.off("close", tell))
  })

/** A process ends itself within 15 s of being asked, whatever hangs. */
const stopWithin = "17 seconds"

const stop = (child: ChildProcess) =>
  Effect.suspend(() => {
    child.kill("SIGTERM")
    // One that was frozen hears it too.
    child.kill("SIGCONT")
    return Effect.timeoutOption(ended(child), stopWithin)
  }).pipe(Effect.andThen(Effect.sync(() => void child.kill("SIGKILL"))))
