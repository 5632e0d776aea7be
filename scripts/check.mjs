/** Types, lint and format, without running anything. */
import { formats, lints, types } from "./Checks.mjs"

for (const check of [types, lints, formats]) {
  if (!(await check())) process.exitCode = 1
}
