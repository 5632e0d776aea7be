/** Tests of finding an installed browser. */
import { expect, it } from "vitest"
import * as Browser from "../../scripts/Browser.ts"

const linux: Browser.Machine = { platform: "linux", home: "/home/ada", variables: { PATH: "/opt/tools:/usr/bin:bin" } }
const mac: Browser.Machine = { platform: "darwin", home: "/Users/ada", variables: { PATH: "/usr/local/bin" } }

const find = (machine: Browser.Machine, ...installed: ReadonlyArray<string>) =>
  Browser.find(machine, (path) => installed.includes(path))

it("finds Chromium, Chrome and Edge in their usual Linux locations", () => {
  const usual = ["/usr/bin/chromium", "/usr/bin/google-chrome", "/usr/bin/microsoft-edge", "/snap/bin/chromium"]
  expect(usual.map((path) => find(linux, path))).toEqual(usual)
})

it("finds Chrome, Chromium and Edge in the macOS application folders, including the user's own", () => {
  const usual = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "/Users/ada/Applications/Chromium.app/Contents/MacOS/Chromium"
  ]
  expect(usual.map((path) => find(mac, path))).toEqual(usual)
})

it("prefers a browser in a usual location to one on PATH", () => {
  expect(find(linux, "/opt/tools/google-chrome", "/usr/bin/chromium")).toBe("/usr/bin/chromium")
})

it("finds a browser in an absolute PATH folder, and ignores relative folders", () => {
  expect(find(linux, "/opt/tools/google-chrome")).toBe("/opt/tools/google-chrome")
  expect(find(mac, "/usr/local/bin/chromium")).toBe("/usr/local/bin/chromium")
  expect(Browser.candidates(linux).filter((path) => !path.startsWith("/"))).toEqual([])
})

it("if CHROME_PATH is set, looks for no other browser", () => {
  const chosen = { ...linux, variables: { ...linux.variables, CHROME_PATH: "/opt/mine/chrome" } }
  expect(find(chosen, "/opt/mine/chrome", "/usr/bin/chromium")).toBe("/opt/mine/chrome")
  expect(find(chosen, "/usr/bin/chromium")).toBeUndefined()
})

it("ignores an empty CHROME_PATH", () => {
  const empty = { ...linux, variables: { ...linux.variables, CHROME_PATH: "" } }
  expect(find(empty, "/usr/bin/chromium")).toBe("/usr/bin/chromium")
})

it("finds no browser if none is installed", () => {
  expect([find(linux), find(mac, "/usr/bin/chromium")]).toEqual([undefined, undefined])
})
