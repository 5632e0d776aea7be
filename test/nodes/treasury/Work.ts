/** What users and operators ask for, while the venue is up and while it dies. What was not answered is asked again where it may be. */
import type { Random } from "../../chaos/Random.ts"
import type { Answer } from "../../chaos/Signing.ts"
import { railOf, users, type DepositPlan, type Rail, type WithdrawalPlan } from "./Plan.ts"
import type { VenueProcess } from "./VenueProcess.ts"

/** Where the venue said that money of a user is to come to. */
export interface Address {
  readonly user: number
  readonly rail: Rail
  readonly to: string
}

export interface Asked extends WithdrawalPlan {
  /** "unknown": it was asked without a key, and nobody answered. */
  outcome: "due" | "accepted" | "unknown" | "refused"
  answer: Answer | undefined
}

export interface Work {
  readonly addresses: ReadonlyArray<Address>
  readonly asked: ReadonlyArray<Asked>
  /** Hashes of transfers that the made-up rail has confirmed to have taken. */
  readonly told: ReadonlyArray<{ readonly rail: Rail; readonly txHash: string }>
  /** So many times a request was sent again with its key. */
  readonly repeats: () => number
  /** To requests for withdrawals, by status and type. */
  readonly answers: () => ReadonlyMap<string, number>
  readonly deposit: (plan: DepositPlan) => Promise<void>
  readonly withdraw: (asked: Asked) => Promise<void>
  /** Approves or rejects what is held, and lets money leave again where a rail held something else than the books for a while. */
  readonly review: () => Promise<void>
  /** Makes something go wrong outside, or cancels a payment. */
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
  const asked = plans.map((plan): Asked => ({ ...plan, outcome: "due", answer: undefined }))
  const told: Array<Work["told"][number]> = []
  const tried = new Set<string>()
  const answers = new Map<string, number>()
  let repeats = 0

  return {
    addresses,
    asked,
    told,
    repeats: () => repeats,
    answers: () => answers,
    deposit: async ({ micros, rail, user }) => {
      const { to } = addresses.find((one) => one.user === user && one.rail === rail)!
      const way = rail === "BANK" ? { payment_rail: "ach_push" } : {}
      const body = { rail, sent_to: to, amount: Number(micros) / 1e6, ...way }
      const answer = await venue.asOperator("/simulated-rails/deposit", body)
      if (answer.status === 200) told.push({ rail, txHash: String((answer.body as { tx_hash: string }).tx_hash) })
    },
    withdraw: async (one) => {
      // What is asked once is not asked of a process that is dead.
      if (one.outcome !== "due" || !venue.isUp()) return
      const { destination, fate, isFlagged, key, method, micros, user } = one
      if (isFlagged) {
        const flag = { kind: "address", subject: destination, effect: "flagged", reason: "a drill" }
        if ((await venue.asOperator("/treasury-flags", flag)).status !== 204) return
      }
      if (fate !== null) await venue.asOperator("/simulated-rails/next-payment", { rail: railOf(method), fate })
      if (key !== null && tried.has(key)) repeats += 1
      if (key !== null) tried.add(key)
      else one.outcome = "unknown"
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
      one.answer = answer
      const type = (answer.body as { readonly type?: string } | undefined)?.type
      const said = answer.status === null ? "none" : [answer.status, type?.split("/").at(-1)].filter(Boolean).join(" ")
      answers.set(said, (answers.get(said) ?? 0) + 1)
      if (answer.status === 200) one.outcome = "accepted"
      else if (answer.status !== null && answer.status < 500) one.outcome = "refused"
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
      const paid = told.filter(({ rail }) => rail === "BANK")
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
