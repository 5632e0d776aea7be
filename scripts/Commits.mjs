/** Checks the commit subjects since the commit that added CONTRIBUTING.md, which states their form. */
import { spawnSync } from "node:child_process"
import { brokenRule } from "./CommitSubject.ts"
import { root } from "./Installation.mjs"

/**
 * Prints each subject that breaks a rule. Passes if the history is incomplete, such as in CI, a tarball or a shallow
 * clone.
 */
export const subjects = () => {
  if (process.env.CI === "true" || git("rev-parse", "--is-shallow-repository")[0] !== "false") return true
  const start = git("log", "--diff-filter=A", "--format=%H", "--", "CONTRIBUTING.md").at(-1)
  if (start === undefined) return true
  console.log("venue: checking commit subjects")
  const broken = git("log", "--no-merges", "--format=%h %s", `${start}..HEAD`).flatMap((line) => {
    const [hash, subject] = split(line)
    const rule = brokenRule(subject)
    return rule === undefined ? [] : [`${hash} "${subject}": ${rule}`]
  })
  for (const line of broken) console.error(`venue: commit ${line}`)
  return broken.length === 0
}

/** Returns the lines that git prints, or an empty list where git is not installed or fails. */
const git = (...args) => {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" })
  return status === 0 ? stdout.split("\n").filter((line) => line !== "") : []
}

const split = (line) => {
  const space = line.indexOf(" ")
  return [line.slice(0, space), line.slice(space + 1)]
}
