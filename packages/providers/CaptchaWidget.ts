/** How a page lets somebody solve the puzzle of a CAPTCHA provider: what it loads for that, and where from. */

export type CaptchaProvider = keyof typeof widgets

export interface CaptchaWidget {
  /** By it the provider knows whose page asks; it is no secret. */
  readonly siteKey: string
  /** It runs in the page. Each provider's takes `render` and `onload` in its query. */
  readonly script: string
  /** Under this name of `window` the script leaves `render`, `reset` and `remove`, which all providers have alike. */
  readonly global: string
  /** What a content security policy must let in, as the provider's own documentation says. */
  readonly sources: {
    readonly script: ReadonlyArray<string>
    readonly frame: ReadonlyArray<string>
    readonly style: ReadonlyArray<string>
    readonly connect: ReadonlyArray<string>
  }
}

export const make = (provider: CaptchaProvider, siteKey: string): CaptchaWidget => ({ ...widgets[provider], siteKey })

const cloudflare = ["https://challenges.cloudflare.com"]
const hcaptcha = ["https://hcaptcha.com", "https://*.hcaptcha.com"]

const widgets = {
  turnstile: {
    script: "https://challenges.cloudflare.com/turnstile/v0/api.js",
    global: "turnstile",
    sources: { script: cloudflare, frame: cloudflare, style: [], connect: [] }
  },
  hcaptcha: {
    script: "https://js.hcaptcha.com/1/api.js",
    global: "hcaptcha",
    sources: { script: hcaptcha, frame: hcaptcha, style: hcaptcha, connect: hcaptcha }
  }
} satisfies Readonly<Record<string, Omit<CaptchaWidget, "siteKey">>>
