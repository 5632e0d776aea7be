/** A local CAPTCHA provider for tests: script, widget and token verification. */
import { Captcha } from "@venue/providers/Captcha"
import * as CaptchaWidget from "@venue/providers/CaptchaWidget"
import { Context, Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Frame, Page } from "playwright-core"
import { judging, listening } from "../providers/SiteVerify.ts"

export class CaptchaProvider extends Context.Service<
  CaptchaProvider,
  {
    readonly widget: CaptchaWidget.CaptchaWidget
    /** Verifies tokens with the venue's real client, against this provider. */
    readonly captcha: Layer.Layer<Captcha>
    /** Paths of all requests, in order. */
    readonly requests: ReadonlyArray<string>
    /** `tokens` lists the tokens that the widget issued, and `judged` those sent for verification, each in order. */
    readonly tokens: ReadonlyArray<string>
    readonly judged: ReadonlyArray<string>
    /** Uses up the token by verifying it. */
    readonly spend: (token: string) => Promise<unknown>
  }
>()("test/pages/CaptchaProvider") {
  static readonly layer = (real: CaptchaWidget.CaptchaProvider) =>
    Layer.effect(
      CaptchaProvider,
      Effect.suspend(() => make(real))
    )
}

const widgetFrame = (page: Page) => page.frameLocator("#captcha iframe")
const button = (page: Page, name: string) => widgetFrame(page).getByRole("button", { name, exact: true })

/** Waits until the page shows a widget that is not solved yet. */
export const offered = (page: Page) => button(page, "I am human").waitFor()
export const solve = (page: Page) => button(page, "I am human").click()
/** Solves the widget and waits for "Solved". For use before signing: after signing, a solved widget disappears. */
export const solveAhead = async (page: Page) => {
  await solve(page)
  await button(page, "Solved").waitFor()
}
export const expire = (page: Page) => button(page, "Expire").click()
export const fail = (page: Page) => button(page, "Fail").click()
/** Returns the size and theme that the page requested. */
export const appearance = (page: Page): URLSearchParams =>
  new URL(
    page
      .frames()
      .find((frame: Frame) => new URL(frame.url()).pathname === "/widget")!
      .url()
  ).searchParams

const secret = "secret of the provider"
const siteKey = "site key of the venue"

const make = Effect.fnUntraced(function* (real: CaptchaWidget.CaptchaProvider) {
  const { global } = CaptchaWidget.make(real, siteKey)
  const requests: Array<string> = []
  const tokens: Array<string> = []
  const judged: Array<string> = []
  const judge = judging({ secret, solved: { has: (token) => tokens.includes(token) }, used: "timeout-or-duplicate" })

  const answers: Readonly<Record<string, (sent: URLSearchParams) => readonly [contentType: string, body: string]>> = {
    "/api.js": (query) => ["text/javascript", script(global, query.get("onload")!)],
    "/widget": () => ["text/html", widget],
    "/token": (form) => {
      if (form.get("sitekey") === siteKey) tokens.push(`token ${tokens.length + 1}`)
      return ["text/plain", tokens.at(-1)!]
    },
    "/siteverify": (form) => {
      judged.push(form.get("response")!)
      const codes = judge(form)
      return ["application/json", JSON.stringify({ success: codes.length === 0, "error-codes": codes })]
    }
  }

  const verifyUrl = yield* listening((form: URLSearchParams, response: ServerResponse, { url }: IncomingMessage) => {
    const { pathname, searchParams } = new URL(url!, "http://provider")
    requests.push(pathname)
    const [contentType, body] = answers[pathname]!(new URLSearchParams([...searchParams, ...form]))
    response.setHeader("content-type", contentType)
    response.end(body)
  })
  const { origin } = new URL(verifyUrl)
  const settings = { secret: () => Redacted.make(secret), url: verifyUrl }
  const captcha = real === "turnstile" ? Captcha.layerTurnstile(settings) : Captcha.layerHcaptcha(settings)
  return CaptchaProvider.of({
    widget: {
      siteKey,
      script: `${origin}/api.js`,
      global,
      sources: { script: [origin], frame: [origin], style: [], connect: [] }
    },
    captcha: Layer.provide(captcha, FetchHttpClient.layer),
    requests,
    tokens,
    judged,
    spend: (response) => fetch(verifyUrl, { method: "POST", body: new URLSearchParams({ secret, response }) })
  })
})

/** Provider script with the functions that Turnstile and hCaptcha document. */
const script = (global: string, onload: string): string => `{
  const { origin } = new URL(document.currentScript.src)
  const widgets = new Map()
  addEventListener("message", (message) => {
    for (const { frame, options } of widgets.values())
      if (message.source === frame.contentWindow) options[message.data.name](message.data.value)
  })
  window[${JSON.stringify(global)}] = {
    render: (place, options) => {
      const frame = document.createElement("iframe")
      const { sitekey, size, theme } = options
      frame.src = origin + "/widget?" + new URLSearchParams({ sitekey, size, theme })
      frame.title = "The widget"
      ;[frame.width, frame.height] = size === "compact" ? [150, 140] : [303, 78]
      place.append(frame)
      const id = "widget " + widgets.size
      widgets.set(id, { frame, options })
      return id
    },
    reset: (id) => {
      const { frame } = widgets.get(id)
      frame.src = frame.src
    },
    remove: (id) => {
      widgets.get(id).frame.remove()
      widgets.delete(id)
    }
  }
  window[${JSON.stringify(onload)}]()
}`

const widget = `<!doctype html>
<button id="solve">I am human</button> <button id="expire">Expire</button> <button id="fail">Fail</button>
<script>
  const tell = (name, value) => parent.postMessage({ name, value }, "*")
  const { searchParams } = new URL(location)
  solve.onclick = async () => {
    const token = await (await fetch("/token", { method: "POST", body: searchParams })).text()
    solve.textContent = "Solved"
    tell("callback", token)
  }
  expire.onclick = () => tell("expired-callback")
  fail.onclick = () => tell("error-callback", "300010")
</script>`
