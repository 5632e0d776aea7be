/**
 * Requests from users and operators while the venue runs and is killed. A request with a key is repeated until it has
 * a response.
 */
import type { Random } from "../../chaos/Random.ts"
import type { Answer } from "../../chaos/Signing.ts"
import { railOf, users, type DepositPlan, type Rail, type WithdrawalPlan } from "./Plan.ts"
import type { VenueProcess } from "./VenueProcess.ts"

export interface Address {
  readonly user: number
  readonly rail: Rail
  readonly to: string
}

export interface WithdrawalAttempt extends WithdrawalPlan {
  /** "due" before the first response; "unknown" for a request without a key that received no response. */
  outcome: "due" | "accepted" | "unknown" | "refused"
  answer: Answer | undefined
}

export interface Work {
  readonly addresses: ReadonlyArray<Address>
  readonly attempts: ReadonlyArray<WithdrawalAttempt>
  /** Transfers that the simulated rail has confirmed. */
  readonly transfers: ReadonlyArray<{ readonly rail: Rail; readonly txHash: string }>
  /** Returns how many requests were repeated with the same key. */
  readonly repeats: () => number
  /** Counts responses to withdrawal requests by status and problem type. */
  readonly answers: () => ReadonlyMap<string, number>
  readonly deposit: (plan: DepositPlan) => Promise<void>
  readonly withdraw: (attempt: WithdrawalAttempt) => Promise<void>
  /**
   * Approves or rejects held withdrawals, and reopens withdrawals that were blocked by a difference that no longer
   * exists.
   */
  readonly review: () => Promise<void>
  /** Causes a reorganisation, a reversal or an outage of a rail, or cancels a payment. */
  readonly disturb: () => Promise<void>
}

const networks = ["ARBITRUM_ONE", "TRON"] as const

export const make = async (
  venue: VenueProcess,
  plans: ReadonlyArray<WithdrawalPlan>,
  isLong: boolean,
  random: Random
): Promise<Work> => {
  const addresses: Array<Address> = []
  const accounts: Array<string> = []
  for (let user = 0; user < users; user++) {
    for (const rail of networks) {
      const { address } = expected(await venue.asUser(user, `/address?network=${rail}`), 200)
      addresses.push({ user, rail, to: String(address) })
    }
    const fiat = expected(await venue.asUser(user, "/fiat-address?currency=usd&payment_rail=ach_push"), 200)
    addresses.push({ user, rail: "BANK", to: String(fiat["deposit_message"]) })
    accounts.push(
      String(expected(await venue.asUser(user, "/bank-account?currency=usd", bankAccount(user)), 201)["id"])
    )
  }
  const attempts = plans.map((plan): WithdrawalAttempt => ({ ...plan, outcome: "due", answer: undefined }))
  const transfers: Array<Work["transfers"][number]> = []
  const tried = new Set<string>()
  const answers = new Map<string, number>()
  let repeats = 0

  return {
    addresses,
    attempts,
    transfers,
    repeats: () => repeats,
    answers: () => answers,
    deposit: async ({ micros, rail, user }) => {
      const { to } = addresses.find((address) => address.user === user && address.rail === rail)!
      const way = rail === "BANK" ? { payment_rail: "ach_push" } : {}
      const body = { rail, sent_to: to, amount: Number(micros) / 1e6, ...way }
      const answer = await venue.asOperator("/simulated-rails/deposit", body)
      if (answer.status === 200) transfers.push({ rail, txHash: String((answer.body as { tx_hash: string }).tx_hash) })
    },
    withdraw: async (attempt) => {
      // A request without a key is sent only once, so the process must be running.
      if (attempt.outcome !== "due" || !venue.isUp()) return
      const { destination, fate, isFlagged, key, method, micros, user } = attempt
      if (isFlagged) {
        const flag = { kind: "address", subject: destination, effect: "flagged", reason: "a drill" }
        if ((await venue.asOperator("/treasury-flags", flag)).status !== 204) return
      }
      if (fate !== null) await venue.asOperator("/simulated-rails/next-payment", { rail: railOf(method), fate })
      if (key !== null && tried.has(key)) repeats += 1
      if (key !== null) tried.add(key)
      else attempt.outcome = "unknown"
      const amount = Number(micros) / 1e6
      const headers: Record<string, string> = key === null ? {} : { "idempotency-key": key }
      const answer = await (method === "ach_push"
        ? venue.asUser(
            user,
            "/fiat-withdraw",
            { amount, currency: "usd", payment_rail: method, account_id: accounts[user]! },
            headers
          )
        : venue.asUser(user, "/withdraw", { amount, address: destination, network: method }, headers))
      attempt.answer = answer
      const type = (answer.body as { readonly type?: string } | undefined)?.type
      const label = answer.status === null ? "none" : [answer.status, type?.split("/").at(-1)].filter(Boolean).join(" ")
      answers.set(label, (answers.get(label) ?? 0) + 1)
      if (answer.status === 200) attempt.outcome = "accepted"
      else if (answer.status !== null && answer.status < 500) attempt.outcome = "refused"
    },
    review: async () => {
      const mode = (await venue.asOperator("/venue-mode")).body as Mode | undefined
      if (mode?.withdrawals === "BLOCKED" && mode.fault === null)
        await venue.asOperator("/venue-mode", { to: "WITHDRAWALS", reason: "a drill" })
      const held = (await venue.asOperator("/withdrawals")).body as { readonly data?: ReadonlyArray<Row> } | undefined
      for (const { withdrawal_id } of held?.data ?? []) {
        const word = random.chance(0.7) ? "approve" : "reject"
        await venue.asOperator(`/withdrawals/${word}`, { withdrawal_id, reason: "a drill" })
      }
    },
    disturb: async () => {
      if (random.chance(0.3)) {
        const body = {
          rail: random.pick(networks),
          blocks: 1 + random.whole(30),
          comes_again: !isLong || random.chance(0.75)
        }
        await venue.asOperator("/simulated-rails/reorganise", body)
      }
      const paid = transfers.filter(({ rail }) => rail === "BANK")
      if (paid.length > 0 && random.chance(0.1))
        await venue.asOperator("/simulated-rails/take-back", { tx_hash: random.pick(paid).txHash })
      if (random.chance(0.2)) {
        const sent = (await venue.asOperator("/withdrawals?state=SUBMITTED")).body as {
          readonly data?: ReadonlyArray<Row>
        }
        const ids = (sent?.data ?? []).map(({ withdrawal_id }) => withdrawal_id)
        if (ids.length > 0)
          await venue.asOperator("/withdrawals/cancel-payment", { withdrawal_id: random.pick(ids), reason: "a drill" })
      }
      if (random.chance(0.1))
        await venue.asOperator("/simulated-rails/cut-off", {
          rail: random.pick(networks),
          seconds: 1 + random.whole(3)
        })
    }
  }
}

interface Mode {
  readonly withdrawals: string
  readonly fault: string | null
}

interface Row {
  readonly withdrawal_id: string
}

const expected = ({ body, status }: Answer, wanted: number): Readonly<Record<string, unknown>> => {
  if (status !== wanted) throw new Error(`the venue answered ${status} ${JSON.stringify(body)}`)
  return body as Readonly<Record<string, unknown>>
}

const bankAccount = (user: number) => ({
  first_name: "Treasury",
  last_name: `Drill ${String.fromCharCode(65 + user)}`,
  routing_number: "021000021",
  bank_name: "A Bank",
  account_number: String(900_000_000 + user),
  type: "checking",
  street_line_1: "1 Example Street",
  country: "USA",
  state: "NY",
  city: "New York",
  postal_code: "10001"
})
