/**
 * Checks the text of every refusal: it differs from the status title, states a fix, and contains a number if the
 * problem page has a limit.
 */
import { type Page, pages } from "@venue/api/ProblemPages"
import { titles } from "@venue/api/StatusTitle"

interface Answer {
  readonly status: number
  readonly body: { readonly type?: unknown; readonly detail?: unknown; readonly errors?: unknown }
}

/** Problem pages whose refusals must name a limit. */
const bounded: ReadonlySet<string> = new Set<Page>([
  "body-too-large",
  "downloads-full",
  "insufficient-balance",
  "interval-not-offered",
  "leverage-not-available",
  "offset-too-large",
  "range-not-allowed",
  "range-too-long",
  "rate-exceeded",
  "too-many-api-keys",
  "too-many-bank-accounts",
  "too-many-deposit-addresses",
  "too-many-downloads",
  "too-many-sockets",
  "too-many-subaccounts",
  "too-many-webhooks",
  "too-many-withdrawal-addresses",
  "venue-full"
])

const verbs =
  "accept|add|ask|cancel|check|choose|correct|create|expected|get|give|list|name one|read|register|remove|repeat|revoke|see|send|set|shorten|sign|stop|try|use|wait"
const fix = new RegExp(String.raw`\b(${verbs})\b|\b(GET|POST|PATCH|PUT|DELETE) /`, "i")

/** Returns the problem page of a refusal, or undefined if the refusal has no page. */
export const pageOf = ({ body }: Answer): Page | undefined => {
  const name = String(body.type ?? "").split("/problems/")[1]
  return name !== undefined && name in pages ? (name as Page) : undefined
}

/** Returns the missing part of the text, or undefined if the text is complete. */
export const lackOf = (answer: Answer): string | undefined => {
  const { detail, errors } = answer.body
  const page = pageOf(answer)
  const messages = ((errors ?? []) as ReadonlyArray<{ readonly message?: string }>).map(({ message = "" }) => message)
  const text = [detail, ...messages].join(" ")
  if (typeof detail !== "string" || detail === titles[answer.status as keyof typeof titles])
    return `no detail of its own: ${text}`
  if (!fix.test(text)) return `no fix: ${text}`
  return page !== undefined && bounded.has(page) && !/\d/.test(text) ? `no number: ${text}` : undefined
}
