/** Steps that a user takes on the sign-in page. */
import type { Page } from "playwright-core"

export const enter = (page: Page, name = "Test Wallet") =>
  page.getByRole("button", { name: `Continue with ${name}` }).click()
export const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name }).waitFor()
export const status = (page: Page, text: string) => page.getByRole("status").filter({ hasText: text }).waitFor()
export const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click()
export const focused = (page: Page) => page.locator(":focus").innerText()

export const callback = /^https:\/\/rp\.example\/callback\?/
