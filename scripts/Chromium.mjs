/** The browser that the page tests drive: Debian's, installed where this process may. */
import { existsSync } from "node:fs"
import { run } from "./Program.mjs"

const programs = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
const isHere = () => programs.some((program) => existsSync(program))

/** Whether there is one; says so when there is none, and what is left out without it. */
export const ensureChromium = async (say) => {
  if (!isHere() && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    say("installing chromium for the page tests")
    await apt("update")
    await apt("install", "--yes", "--no-install-recommends", "chromium")
  }
  if (!isHere()) say("no chromium here, so test/pages/SignIn.test.ts is skipped: the sign-in page is not driven")
  return isHere()
}

const apt = (...args) =>
  run("apt-get", ["--quiet=2", ...args], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  })
