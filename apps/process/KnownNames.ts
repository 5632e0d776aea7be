/** Names of all settings, including those of programs that this process does not import. */
import * as Setting from "./Setting.ts"

/** Settings that modules outside `apps/process` declare. `test/apps/process/KnownNames.test.ts` holds the list. */
export const ofOtherPrograms = [
  "VENUE_AUDITOR",
  "VENUE_AUDITOR_HEALTH_HOST",
  "VENUE_AUDITOR_HEALTH_PORT",
  "VENUE_BANK_SIMULATOR_FILE",
  "VENUE_BANK_SIMULATOR_OPENING",
  "VENUE_BANK_SIMULATOR_PORT",
  "VENUE_BANK_SIMULATOR_WEBHOOK_URL",
  "VENUE_CLUSTER_GATEWAYS",
  "VENUE_CLUSTER_PORT_BASE",
  "VENUE_CLUSTER_RUNNERS",
  "VENUE_DATA_DIR",
  "VENUE_EXTRA_USERS",
  "VENUE_LOG_FORMAT",
  "VENUE_LOG_LEVEL",
  "VENUE_MARKET_MAKER",
  "VENUE_STOP_SECONDS",
  "VENUE_WALLET_HOST",
  "VENUE_WALLET_MAX_PAYMENT",
  "VENUE_WALLET_MAX_PER_DAY",
  "VENUE_WALLET_PORT",
  "VENUE_WALLET_RECORD"
]

/** Variables that the start script and the tests set. */
const ofScripts = ["VENUE_BOOT", "VENUE_TESTS"]

/** Addresses that Kubernetes gives to each container for a service whose name begins with `venue`. */
const ofKubernetes = /_(SERVICE_HOST|SERVICE_PORT\w*|PORT|PORT_\d+_(TCP|UDP)\w*)$/

/** Whether a variable is a setting of any program, or the file of a secret. */
export const has = (name: string): boolean =>
  names().has(name) ||
  Setting.declared.some(({ isSecret, name: secret }) => isSecret && `${secret}_FILE` === name) ||
  ofScripts.includes(name)

/** Whether the name has the form of a variable that Kubernetes sets. */
export const isOfKubernetes = (name: string): boolean => ofKubernetes.test(name)

/** Returns the setting whose name differs in one or two letters, or undefined. */
export const nearest = (name: string): string | undefined => {
  const plain = name.replace(/_FILE$/, "")
  const byDistance = [...names()].map((known) => [known, distance(plain, known)] as const)
  const [known, least] = byDistance.reduce((best, next) => (next[1] < best[1] ? next : best))
  return least <= 2 ? known : undefined
}

const names = (): ReadonlySet<string> => new Set([...Setting.declared.map(({ name }) => name), ...ofOtherPrograms])

/** Returns the Levenshtein distance: the least number of inserted, deleted and replaced letters. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1]
    for (const [column, other] of [...to].entries())
      next.push(Math.min(next[column]! + 1, row[column + 1]! + 1, row[column]! + (letter === other ? 0 : 1)))
    row = next
  }
  return row[to.length]!
}
