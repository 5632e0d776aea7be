/**
 * Checks types and lint, then runs all tests, or the tests in the paths given as arguments. `--quick` omits tests
 * that need Postgres, a browser or processes. The last line shows the counts; a failed check counts as a failed test.
 */
import { existsSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { lints, tool, types } from "./Checks.mjs"
import { ensureBrowser } from "./Chromium.mjs"

const isQuick = process.argv.includes("--quick")
const results = join(tmpdir(), `venue-test-results-${process.pid}.json`)
const checks = [await types(), await lints()]
if (isQuick) process.env.VENUE_TESTS = "quick"
else await ensureBrowser((text) => console.log(`venue: ${text}`))
const code = await tool("running the tests", "vitest/vitest.mjs", [
  "run",
  "--reporter=default",
  "--reporter=json",
  "--reporter=./scripts/ProjectTimes.mjs",
  `--outputFile.json=${results}`,
  ...process.argv.slice(2).filter((argument) => argument !== "--quick")
])

const tests = existsSync(results) ? JSON.parse(readFileSync(results, "utf8")).testResults : []
rmSync(results, { force: true })
const count = (status) => tests.flatMap((file) => file.assertionResults).filter((test) => test.status === status).length
const passed = count("passed")
const skipped = count("skipped") + count("pending") + count("todo")

// A file that cannot be loaded, or an error outside every test, does not appear as a failed test.
const broken = tests.filter(
  (file) => file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed")
)
const seen = count("failed") + broken.length + checks.filter((holds) => !holds).length
const failed = seen === 0 && (code !== 0 || passed === 0) ? 1 : seen

console.log(`${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`)
process.exitCode = failed === 0 ? 0 : 1
