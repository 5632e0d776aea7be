/**
 * The sign-in and consent page: plain files, under a policy that lets nothing else run in them, frame them or keep them. A
 * CAPTCHA is of somebody else, whose script runs beside them where the venue asks for one.
 */
import { instant } from "@venue/api/Digits"
import { checksummed, isAddress } from "@venue/auth/wallet/WalletAddress"
import type { CaptchaWidget } from "@venue/providers/CaptchaWidget"
import { Clock, Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { refusal } from "./Route.ts"
import { query } from "./RequestBody.ts"
import type { Pages } from "./AuthServer.ts"

export interface PagesOptions {
  /** As the signed statement names it. */
  readonly serviceName: string
  /** It is one of those the auth service takes as `apikey`, and publishable: the page may show it to every browser. */
  readonly clientKey: string
  /** The pages are of its origin, and call no other. */
  readonly issuer: string
  /** Where the service asks for a solved CAPTCHA; until it does so, the page loads nothing of the provider. */
  readonly captcha?: CaptchaWidget & {
    /** Every sign-in brings one, so it is there before anybody tries. */
    readonly atOnce: boolean
  }
}

const page = "/sign-in"
const files = ["SignIn.css", "SignIn.js", "Service.js", "Wallets.js", "Captcha.js", "Sentences.js"]

/** Where people open the page, for signing in and for consent: to be registered, since signed messages name it. */
export const uriOf = (issuer: string): string => new URL(page, issuer).href

export const make = ({ captcha, ...options }: PagesOptions): Pages => {
  const html = filled(read("SignIn.html"), {
    ...options,
    uri: uriOf(options.issuer),
    captchaScript: captcha?.script ?? "",
    captchaGlobal: captcha?.global ?? "",
    captchaSiteKey: captcha?.siteKey ?? "",
    captchaAtOnce: String(captcha?.atOnce ?? false)
  })
  const headers = { ...privacy, ...policyWith(captcha?.sources) }
  const served = (file: string, body: string) =>
    HttpServerResponse.text(body, { contentType: contentTypes[extname(file)], headers })
  const routes = [
    HttpRouter.route("GET", page, served("SignIn.html", html)),
    HttpRouter.route("GET", `${page}/address`, spelled),
    // Browsers ask for it unasked.
    HttpRouter.route("GET", "/favicon.ico", HttpServerResponse.empty({ status: 204, headers: privacy })),
    ...files.map((file) => HttpRouter.route("GET", `${page}/${file}` as const, served(file, read(file))))
  ]
  return { routes, layer: HttpRouter.addAll(routes) }
}

/** How a wallet message writes this address, and the time to write in it: a browser's clock may be wrong. */
const spelled = Effect.gen(function* () {
  const address = (yield* query).get("address") ?? ""
  if (!isAddress(address, "any case"))
    return refusal(
      "validation_failed",
      {},
      { description: "address has to be 0x and 40 hex digits, with the EIP-55 checksum where their case is mixed" }
    )
  const now = instant(yield* Clock.currentTimeMillis)
  return HttpServerResponse.jsonUnsafe({ address: checksummed(address), now }, { headers: privacy })
})

const read = (file: string): string => readFileSync(join(import.meta.dirname, "pages", file), "utf8")

const filled = (html: string, values: Readonly<Record<string, string>>): string =>
  html.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) =>
    values[name]!.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  )

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8"
}

const privacy = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

/** Images come from elsewhere too: an application's logo. */
const policyWith = (sources: CaptchaWidget["sources"] = { script: [], frame: [], style: [], connect: [] }) => ({
  "content-security-policy": [
    "default-src 'none'",
    ["script-src 'self'", ...sources.script].join(" "),
    ["style-src 'self'", ...sources.style].join(" "),
    ["connect-src 'self'", ...sources.connect].join(" "),
    "img-src 'self' https:",
    ...(sources.frame.length === 0 ? [] : [["frame-src", ...sources.frame].join(" ")]),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; "),
  "x-frame-options": "DENY"
})
