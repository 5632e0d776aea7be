/** Checks types, lint, format and commit subjects; runs no test. */
import { formats, lints, types } from "./Checks.mjs"
import { subjects } from "./Commits.mjs"

for (const check of [types, lints, formats, subjects]) {
  if (!(await check())) process.exitCode = 1
}
