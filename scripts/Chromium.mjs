/** Finds a browser for the page tests; in CI, installs Debian's Chromium if no browser is installed. */
import { existsSync } from "node:fs"
import * as Browser from "./Browser.ts"
import { run } from "./Program.mjs"

/** Installs Chromium if CI=true and the process is root on Debian; otherwise logs that the page tests are skipped. */
export const ensureBrowser = async (say) => {
  if (Browser.here() !== undefined) return
  if (process.env.CI === "true" && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    say("installing chromium for the page tests")
    await apt("update")
    await apt("install", "--yes", "--no-install-recommends", "chromium")
    return
  }
  const { CHROME_PATH: path = "" } = process.env
  const reason = path === "" ? "no Chrome, Chromium or Edge was found" : `CHROME_PATH is no program: ${path}`
  say(`skipping the browser tests of test/pages: ${reason}; install one (${howTo()}) or set CHROME_PATH`)
}

const howTo = () =>
  process.platform === "darwin" ? "brew install --cask google-chrome" : "on Debian: apt-get install chromium"

const apt = (...args) =>
  run("apt-get", ["--quiet=2", ...args], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  })
