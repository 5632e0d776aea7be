/**
 * Legitimate users, each with a separate wallet and IP address, who sign in at fixed times, whether or not earlier
 * sign-ins have finished. Runs as a child process, `SignInClient.ts <place>`: for each requested number of seconds it
 * responds with a `SignInReport`.
 */
import { request } from "node:http"
import { body, headersOf, makeWallet, path, type Place } from "./SignInMessages.ts"

export interface SignInReport {
  readonly signIns: number
  readonly p50Millis: number
  readonly p99Millis: number
  readonly worstMillis: number
  /** Number of responses by status; `none` counts requests without a response. */
  readonly statuses: Readonly<Record<string, number>>
}

const place = JSON.parse(process.argv[2] ?? "{}") as Place
const perSecond = 20
/** Enough users that no IP address reaches its rate limit. */
const users = Array.from({ length: 512 }, makeWallet)
const patienceMillis = 20_000
const settleMillis = 500
let next = 0

/** `status` is the response status. The time is measured from the request's due time. */
interface Answer {
  readonly status: string
  readonly millis: number
}

const signIn = (user: number, text: string, dueAt: number): Promise<Answer> =>
  new Promise((resolve) => {
    const done = (status: string): void => resolve({ status, millis: performance.now() - dueAt })
    const asked = request({
      host: "127.0.0.1",
      port: place.port,
      localAddress: `127.1.${user >> 8}.${user & 255}`,
      method: "POST",
      path,
      headers: { ...headersOf(place), "content-length": text.length },
      agent: false,
      timeout: patienceMillis
    })
    asked.on("timeout", () => asked.destroy())
    asked.on("error", () => done("none"))
    asked.on("response", (answer) => {
      answer.on("error", () => done("none"))
      answer.on("end", () => done(String(answer.statusCode)))
      answer.resume()
    })
    asked.end(text)
  })

const run = async (seconds: number): Promise<SignInReport> => {
  const due = Array.from({ length: seconds * perSecond }, (_, index) => {
    const user = next++ % users.length
    const { address, key } = users[user]!
    // Each request has a random phase in its interval, so that sign-ins do not synchronise with other timers.
    return { user, text: body(place, address, key), millis: ((index + Math.random()) * 1000) / perSecond }
  })
  // Signing occupies a whole core, so the client waits until delayed work has finished.
  await new Promise((resolve) => setTimeout(resolve, settleMillis))
  const startedAt = performance.now()
  const answers = await Promise.all(
    due.map(async ({ millis, text, user }) => {
      const dueAt = startedAt + millis
      await new Promise((resolve) => setTimeout(resolve, dueAt - performance.now()))
      return signIn(user, text, dueAt)
    })
  )
  const sorted = answers.map(({ millis }) => millis).toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
  const statuses: Record<string, number> = {}
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1
  return { signIns: sorted.length, p50Millis: at(0.5), p99Millis: at(0.99), worstMillis: at(1), statuses }
}

process.on("message", (seconds) => void run(Number(seconds)).then((report) => process.send!(report)))
process.on("disconnect", () => process.exit(0))
process.send!("ready")
