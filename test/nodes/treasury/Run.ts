/** One run: requests, a kill and a restart, repeated. Then every deposit and withdrawal is completed and checked. */
import * as Random from "../../chaos/Random.ts"
import * as Judge from "./Judge.ts"
import * as Moments from "./Moments.ts"
import type { Options } from "./Options.ts"
import * as Plan from "./Plan.ts"
import type { VenueProcess } from "./VenueProcess.ts"
import * as Work from "./Work.ts"

export interface Result {
  readonly kills: number
  readonly transfers: number
  readonly attempts: ReadonlyArray<Work.WithdrawalAttempt>
  readonly repeats: number
  readonly answers: ReadonlyMap<string, number>
  readonly ends: ReadonlyMap<string, number>
  /** Number of kills by the states of the deposits and withdrawals they left unfinished. */
  readonly met: ReadonlyMap<string, number>
  readonly moments: ReadonlyMap<string, number>
  readonly findings: ReadonlyArray<Judge.Finding>
}

/** Maximum time to wait for a first response before a kill. Most kills wait for a response. */
const patienceMillis = 10_000

/**
 * Time limit for completion after the last kill. After one minute, a stalled payment is replaced and a lost transfer
 * is reversed.
 */
const endWithinMillis = 600_000

/** Runs the seed's plan. Returns undefined if the run is interrupted. */
export const go = async (
  options: Options,
  venue: VenueProcess,
  say: (text: string) => void,
  isOver: () => boolean
): Promise<Result | undefined> => {
  const random = Random.make(options.seed, "treasury kills")
  const isLong = options.deposits + options.withdrawals >= 200
  say("founding the venue")
  if (!(await venue.start())) return undefined
  venue.audit()
  const before = await Judge.balancesOf(venue)
  const plans = Plan.withdrawals(options.withdrawals, isLong, Random.make(options.seed, "withdrawals"))
  const work = await Work.make(venue, plans, isLong, Random.make(options.seed, "work"))
  const deposits = Plan.deposits(options.deposits, Random.make(options.seed, "deposits"))
  const met = new Map<string, number>()
  const moments = new Map<string, number>()

  let kills = 0
  let sent = 0
  for (; kills < options.kills && !isOver(); kills++) {
    // Also kills some processes during their start, when the venue is recovering.
    const isEarly = kills > 0 && random.chance(0.08)
    if (isEarly) venue.launch()
    else if (kills > 0 && !(await venue.start())) return undefined
    const share = (count: number, at: number) => Math.floor((count * at) / options.kills)
    const requests = isEarly
      ? []
      : [
          ...deposits.slice(sent, share(deposits.length, kills + 1)).map((plan) => work.deposit(plan)),
          ...work.attempts.slice(0, share(work.attempts.length, kills + 1)).map(async (attempt) => {
            await Moments.sleep(random.between(0, 1_500))
            await work.withdraw(attempt)
          }),
          work.review(),
          work.disturb()
        ]
    const isPatient = !isEarly && random.chance(0.8)
    const answered = work.answers().get("200") ?? 0
    const until = performance.now() + (isPatient ? patienceMillis : 0)
    const isIdle = () =>
      (work.answers().get("200") ?? 0) === answered && work.attempts.some(({ outcome }) => outcome === "due")
    while (isIdle() && performance.now() < until && !isOver()) await Moments.sleep(20)
    if (!isEarly) sent = share(deposits.length, kills + 1)
    const moment = isEarly ? "any time" : Moments.draw(random)
    count(moments, isEarly ? "while it starts" : moment)
    const underWay = await Moments.kill(venue, moment, random)
    for (const what of underWay) count(met, what)
    await Promise.all(requests)
    if ((kills + 1) % 10 === 0) say(`${kills + 1} kills`)
  }
  if (isOver() || (kills > 0 && !(await venue.start()))) return undefined

  say("completing deposits and withdrawals")
  const deadline = performance.now() + endWithinMillis
  const given = { userIds: venue.userIds(), before, work }
  while (true) {
    await Promise.all(work.attempts.map(work.withdraw))
    await work.review()
    const evidence = await Judge.gather(venue)
    const transfers = evidence.rails.reduce((all, rail) => all + rail.transfers.length, 0)
    // Repeats deposits whose request was interrupted by a kill and never reached the rail.
    for (const plan of deposits.slice(transfers)) await work.deposit(plan)
    const findings = Judge.judge(given, evidence)
    const isDone = transfers >= deposits.length && findings.every(({ fault }) => fault !== "stuck")
    if (isOver()) return undefined
    if (isDone || performance.now() > deadline) {
      // Checks once more, because the first evidence was gathered while the venue was still working.
      const last = isDone ? Judge.judge(given, await Judge.gather(venue)) : findings
      return {
        kills,
        transfers,
        attempts: work.attempts,
        repeats: work.repeats(),
        answers: work.answers(),
        ends: endsOf(evidence),
        met,
        moments,
        findings: last
      }
    }
    await Moments.sleep(1_000)
  }
}

const endsOf = ({ deposits, withdrawals }: Judge.Evidence): ReadonlyMap<string, number> => {
  const ends = new Map<string, number>()
  for (const { state } of deposits) count(ends, `deposit ${state}`)
  for (const { state } of withdrawals) count(ends, `withdrawal ${state}`)
  return ends
}

const count = (counts: Map<string, number>, what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1)
