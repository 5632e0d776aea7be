/**
 * Access checks: all gateways together accept a signed request once, and a wallet user has exactly one builder key at
 * any time.
 */
import type { Finding, Story } from "./CheckerStory.ts"
import type { KeyLine, ProbeLine } from "./HistoryLine.ts"

export const findings = (story: Story): ReadonlyArray<Finding> => [...nonces(story), ...keys(story)]

const isGood = (status: number | null): boolean => status !== null && status < 300

function nonces({ lines }: Story): ReadonlyArray<Finding> {
  return lines.flatMap((line) => {
    if (line.kind !== "nonce") return []
    const good = line.answers.filter(({ status }) => isGood(status)).map(({ through }) => through)
    if (good.length > 1) return [{ rule: "I36", text: `one signed request was good through ${good.join(" and ")}` }]
    const isSure = line.answers.every(({ status }) => status === 401)
    return isSure ? [{ rule: "I36", text: "a signed request that nobody had seen was good nowhere" }] : []
  })
}

/** Finds accepted probes of a key that was certainly replaced, and rejected probes of a key that certainly was not. */
function keys({ lines }: Story): ReadonlyArray<Finding> {
  const found: Array<Finding> = []
  const steps = lines.filter((line): line is KeyLine => line.kind === "key")
  const probes = lines.filter((line): line is ProbeLine => line.kind === "probe")
  const replacedAt = new Map<string, number>()
  const issuedAt = new Map<string, number>()
  /** Time of the first request that might have replaced the key. */
  const doubtedAt = new Map<string, number>()
  for (const { askedAt, at, next, old, outcome } of steps) {
    if (outcome === "replaced") {
      replacedAt.set(old, Math.min(at, replacedAt.get(old) ?? at))
      if (next !== undefined) issuedAt.set(next, at)
    }
    if (outcome !== "refused") doubtedAt.set(old, Math.min(askedAt, doubtedAt.get(old) ?? askedAt))
  }
  for (const { askedAt, at, key, outcome, through } of probes) {
    const replaced = replacedAt.get(key)
    if (outcome === "good" && replaced !== undefined && askedAt > replaced) {
      const late = Math.round(askedAt - replaced)
      found.push({ rule: "I40", text: `a key was good through ${through} ${late} ms after it was replaced` })
    }
    const isIssued = (issuedAt.get(key) ?? 0) <= askedAt
    const isDoubted = (doubtedAt.get(key) ?? Number.POSITIVE_INFINITY) <= at
    if (outcome === "refused" && isIssued && !isDoubted) {
      found.push({ rule: "I40", text: `a key that nothing had replaced was refused through ${through}` })
    }
  }
  return found
}
