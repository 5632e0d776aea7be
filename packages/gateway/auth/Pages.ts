/**
 * Sign-in and consent page: static files with a policy that forbids other scripts, framing and caching. A required
 * CAPTCHA adds its provider's script to the policy.
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
  /** Service name in the signed statement. */
  readonly serviceName: string
  /** One of the service's `apikey` values, which is public because the page shows it to every browser. */
  readonly clientKey: string
  /** Issuer URL of the service. Its origin serves the pages and is the only origin that they call. */
  readonly issuer: string
  /** CAPTCHA widget. Unless `atOnce` is true, it loads only after the service has required a CAPTCHA. */
  readonly captcha?: CaptchaWidget & {
    /** True if every sign-in requires a CAPTCHA, so that the widget loads with the page. */
    readonly atOnce: boolean
  }
}

const page = "/sign-in"
const files = ["SignIn.css", "SignIn.js", "Service.js", "Wallets.js", "Captcha.js", "Sentences.js"]

/** Returns the page's public URL, which signed messages must contain. */
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
    HttpRouter.route("GET", `${page}/address`, checksummedAddress),
    // Responds with 204, because browsers request the icon although the page does not link to it.
    HttpRouter.route("GET", "/favicon.ico", HttpServerResponse.empty({ status: 204, headers: privacy })),
    ...files.map((file) => HttpRouter.route("GET", `${page}/${file}` as const, served(file, read(file))))
  ]
  return { routes, layer: HttpRouter.addAll(routes) }
}

/** Returns a checksummed address and the server's time, which the wallet message needs; browser clocks can be wrong. */
const checksummedAddress = Effect.gen(function* () {
  const address = (yield* query).get("address") ?? ""
  if (!isAddress(address, "any case"))
    return refusal(
      "validation_failed",
      {},
      {
        description:
          "address must be 0x followed by 40 hex digits, with a valid EIP-55 checksum if the digits mix upper and lower case"
      }
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

/** `https:` is allowed for the logos of applications. */
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
