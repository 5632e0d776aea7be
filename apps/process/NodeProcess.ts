/**
 * Child process of a cluster. It is started with its settings, its output is read line by line, and it stops with
 * this process.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { Effect, Schema } from "effect"

export interface NodeProcessOptions {
  readonly name: string
  readonly program: string
  /** Data directory. The program ignores this argument, which identifies the process in a process list. */
  readonly place: string
  /** Variables besides those of this process; undefined removes a variable. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly onLine: (line: string) => void
}

export interface NodeProcess {
  readonly pid: number
  readonly ended: Effect.Effect<NodeEnd>
  readonly kill: () => void
}

export interface NodeEnd {
  /** Name of the signal, or `exit code` and the code. */
  readonly how: string
  /** Whether the exit code was not 0; false after a signal. */
  readonly hasFailed: boolean
}

/** The operating system could not start the process. */
export class NotLaunched extends Schema.TaggedError<NotLaunched>()("NotLaunched", { reason: Schema.String }) {}

/** Starts the process. When the scope closes, sends SIGTERM, and SIGKILL after 17 s. */
export const launch = Effect.fn("NodeProcess.launch")(function* (options: NodeProcessOptions) {
  const child = yield* Effect.acquireRelease(begin(options), stop)
  return { pid: child.pid!, ended: ended(child), kill: () => void child.kill("SIGKILL") }
})

const begin = ({ environment, onLine, name, place, program }: NodeProcessOptions) =>
  Effect.callback<ChildProcess, NotLaunched>((resume) => {
    const child = spawn(process.execPath, [...process.execArgv, program, name, place], {
      env: Object.fromEntries(
        Object.entries({ ...process.env, ...environment }).filter(([, value]) => value !== undefined)
      ),
      // Ctrl-C reaches only this process, which stops its children in order.
      detached: true,
      // The channel carries no messages. When it closes, the child detects that this process has exited, for whatever
      // reason.
      stdio: ["ignore", "pipe", "pipe", "ipc"]
    })
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream! }).on("line", onLine)
    child.once("error", ({ message }) => resume(Effect.fail(new NotLaunched({ reason: message }))))
    child.once("spawn", () => resume(Effect.succeed(child)))
  })

const ended = (child: ChildProcess): Effect.Effect<NodeEnd> =>
  Effect.callback<NodeEnd>((resume) => {
    const complete = () => {
      const { exitCode, signalCode } = child
      if (exitCode === null && signalCode === null) return
      resume(Effect.succeed({ how: signalCode ?? `exit code ${exitCode}`, hasFailed: (exitCode ?? 0) !== 0 }))
    }
    complete()
    // The event `close` comes after the last line of output.
    child.on("close", complete)
    return Effect.sync(() => child.off("close", complete))
  })

/** Time between SIGTERM and SIGKILL. */
const stopWithin = "17 seconds"

const stop = (child: ChildProcess) =>
  Effect.suspend(() => {
    child.kill("SIGTERM")
    // A suspended process handles SIGTERM only after SIGCONT.
    child.kill("SIGCONT")
    return Effect.timeoutOption(ended(child), stopWithin)
  }).pipe(Effect.andThen(Effect.sync(() => void child.kill("SIGKILL"))))
