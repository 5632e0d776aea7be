/** Opens pages in a real browser. A script error or a request blocked by the page's policy fails the test. */
import { Effect, type Scope } from "effect"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import * as Browsers from "../../scripts/Browser.ts"
import type { PageWallet } from "./Wallet.ts"

const program = Browsers.here()

/** True if the browser tests run. They always run in CI, so that a missing browser fails them. */
export const isHere = program !== undefined || process.env["CI"] === "true"

export const launched: Effect.Effect<Browser, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(() => chromium.launch({ executablePath: program ?? "chromium", args: ["--no-sandbox"] })),
  (browser) => Effect.promise(() => browser.close())
)

export interface VisitOptions extends BrowserContextOptions {
  readonly url: string
  readonly wallets?: ReadonlyArray<PageWallet>
}

/** Opens a page in a fresh browser context; fails if the page throws an error or its policy blocks a request. */
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
        page.setDefaultTimeout(60_000)
        page.on("pageerror", (error) => broken.push(error.message))
        page.on("console", (message) => {
          // Ignores `frame-ancestors` violations: a foreign page that frames ours must be blocked.
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
