/** What somebody does at the sign-in page, and what they see of it. */
import type { Page } from "playwright-core"

export const enter = (page: Page, name = "Test Wallet") =>
  page.getByRole("button", { name: `Continue with ${name}` }).click()
export const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name }).waitFor()
export const said = (page: Page, words: string) => page.getByRole("status").filter({ hasText: words }).waitFor()
export const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click()
export const focused = (page: Page) => page.locator(":focus").innerText()

/** Where an application is returned to. */
export const callback = /^https:\/\/rp\.example\/callback\?/
