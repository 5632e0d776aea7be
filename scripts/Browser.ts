/** Finds the installed Chrome, Chromium or Edge that the page tests drive. */
import { accessSync, constants, statSync } from "node:fs"
import { homedir } from "node:os"

export interface Machine {
  readonly platform: NodeJS.Platform
  readonly home: string
  /** The environment variables `CHROME_PATH` and `PATH`. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** Returns the paths where a browser might be, best first. If `CHROME_PATH` is set, it is the only path. */
export const candidates = ({ home, platform, variables }: Machine): ReadonlyArray<string> => {
  const chosen = variables["CHROME_PATH"]
  if (chosen !== undefined && chosen !== "") return [chosen]
  const folders = (variables["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/"))
  const onPath = names.flatMap((name) => folders.map((folder) => `${folder}/${name}`))
  return [...new Set([...(platform === "darwin" ? bundles(home) : linux), ...onPath])]
}

/** Returns the first candidate that is installed. */
export const find = (machine: Machine, isInstalled: (path: string) => boolean): string | undefined =>
  candidates(machine).find(isInstalled)

/** Returns the path of this machine's browser, or undefined if no browser is installed. */
export const here = (): string | undefined =>
  find({ platform: process.platform, home: homedir(), variables: process.env }, isProgram)

const names = ["google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "microsoft-edge"]

/** Packages of distributions and vendors. The snap comes last, because it cannot read every temporary folder. */
const linux = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/opt/google/chrome/chrome",
  "/usr/bin/microsoft-edge",
  "/usr/bin/microsoft-edge-stable",
  "/opt/microsoft/msedge/msedge",
  "/snap/bin/chromium"
]

const bundles = (home: string): ReadonlyArray<string> =>
  ["/Applications", `${home}/Applications`].flatMap((folder) =>
    ["Google Chrome", "Chromium", "Microsoft Edge"].map((name) => `${folder}/${name}.app/Contents/MacOS/${name}`)
  )

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
