/** CAPTCHA widgets: the scripts that a page loads, and their origins. */

export type CaptchaProvider = keyof typeof widgets

export interface CaptchaWidget {
  /** Public key that identifies the page's owner to the provider. */
  readonly siteKey: string
  /** URL of the script. Both providers accept `render` and `onload` in its query. */
  readonly script: string
  /** Name of the `window` member that has the functions `render`, `reset` and `remove`, which both providers offer. */
  readonly global: string
  /** Sources that a content security policy must allow, from the provider's documentation. */
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
