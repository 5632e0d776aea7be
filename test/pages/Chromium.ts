/** A real browser, and pages in it that fail their test when anything breaks unseen. */
import { Effect, type Scope } from "effect"
import { existsSync } from "node:fs"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import type { PageWallet } from "./Wallet.ts"

const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path)
)

/** Whether there is one. Where changes are judged, none is a failure and no reason to leave tests out. */
export const isHere = program !== undefined || process.env["CI"] !== undefined

export const launched: Effect.Effect<Browser, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(() => chromium.launch({ executablePath: program ?? "chromium", args: ["--no-sandbox"] })),
  (browser) => Effect.promise(() => browser.close())
)

export interface VisitOptions extends BrowserContextOptions {
  readonly url: string
  readonly wallets?: ReadonlyArray<PageWallet>
}

/** Opens a page in a browser that knows nothing yet, drives it, and claims that nothing in it broke or was blocked. */
export const visit = <A>(
  browser: Browser,
  { url, wallets = [], ...options }: VisitOptions,
  drive: (page: Page, context: BrowserContext) => Promise<A>
): Effect.Effect<A> =>
  Effect.acquireUseRelease(
    Effect.promise(() => browser.newContext({ viewport: { width: 390, height: 844 }, ...options })),
    (context) =>
      Effect.promise(async () => {
        const broken: Array<string> = []
        const page = await context.newPage()
        page.setDefaultTimeout(10_000)
        page.on("pageerror", (error) => broken.push(error.message))
        page.on("console", (message) => {
          // A page of somebody else that may not frame ours is as it should be.
          if (/Content Security Policy(?!.*frame-ancestors)/.test(message.text())) broken.push(message.text())
        })
        for (const wallet of wallets) await wallet.enter(page)
        await page.goto(url)
        const answer = await drive(page, context)
        if (broken.length > 0) throw new Error(`the page broke: ${broken.join("; ")}`)
        return answer
      }),
    (context) => Effect.promise(() => context.close())
  )
