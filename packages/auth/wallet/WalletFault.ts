/**
 * Error texts for refused sign-in messages. Each text states the fault, the limit and the correct value, and contains
 * only public information.
 */
import type * as WalletMessage from "./WalletMessage.ts"
import type { SignInSite } from "./SignInSite.ts"
import { checksummed } from "./WalletAddress.ts"

/** Returns the text for a fault that is visible without parsing; a full parse costs more than a signature check. */
export const textFault = (text: string): string => {
  const [first = "", address = "", ...rest] = text.split("\n", maxLines)
  if (!first.endsWith(opening)) return `The message is not an EIP-4361 message: its first line must end with${opening}`
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return "The second line must be the address: 0x and 40 hex digits"
  if (address !== checksummed(address)) return `The address must have its EIP-55 checksum: ${checksummed(address)}`
  const missing = lines.find(({ form }) => !rest.some((line) => form.test(line)))
  return missing === undefined
    ? "The message violates the EIP-4361 grammar or has a part that this service does not accept"
    : `The message has no line of the form ${missing.words}`
}

/** Returns the text for a message written for another site. */
export const siteFault = (
  reason: "statement" | "uri" | "domain",
  { serviceName, sites }: { readonly serviceName: string; readonly sites: ReadonlyArray<SignInSite> },
  { uri }: Pick<WalletMessage.Claims, "uri">
): string => {
  if (reason === "statement") return `The statement must be: Sign in to ${serviceName}`
  const named = sites.slice(0, maxSites)
  return reason === "uri"
    ? `The URI must be a page at which wallets can sign in: ${named.map((site) => site.uri).join(" or ")}`
    : `The domain must match the URI: ${sites.find((site) => site.uri === uri)?.domain ?? ""}`
}

/** Returns the error text for a message that is not valid yet or has expired. */
export const timeFault = (fault: NonNullable<ReturnType<typeof WalletMessage.untimely>>, nowMillis: number): string =>
  `${times[fault]}; the venue's time is ${new Date(nowMillis).toISOString()}`

const times = {
  future: "Issued At is more than 60 s ahead of the venue's clock",
  stale: "Issued At is more than ten minutes ago: sign a new message",
  expired: "Expiration Time has passed: sign a new message",
  not_yet: "Not Before is still in the future"
}

const opening = " wants you to sign in with your Ethereum account:"

const lines: ReadonlyArray<{ readonly form: RegExp; readonly words: string }> = [
  { form: /^URI: \S+$/, words: "URI: followed by the URL of the page" },
  { form: /^Version: 1$/, words: "Version: 1" },
  { form: /^Chain ID: [1-9][0-9]{0,15}$/, words: "Chain ID: followed by a whole number above 0" },
  { form: /^Nonce: [A-Za-z0-9]{8,128}$/, words: "Nonce: followed by 8 to 128 letters and digits" },
  {
    form: /^Issued At: \d{4}-\d\d-\d\dT\S+$/,
    words: "Issued At: followed by an RFC 3339 time such as 2026-11-27T10:30:00Z"
  }
]

/** Maximum number of lines before the resources; a valid message never has more. */
const maxLines = 32
const maxSites = 5
