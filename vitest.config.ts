/**
 * The projects of the tests. `pure`, `whole` and `spying` run first, on one Postgres server; `processes`, which starts
 * processes of the venue, runs after them. The files of a worker share the modules they import (`isolate: false`):
 * importing them anew for each file would take longer than most files.
 */
import { defineConfig } from "vitest/config"
import { needing } from "./scripts/TestNeeds.ts"

const pure = [
  "test/domain/**/*.test.ts",
  "test/matching/**/*.test.ts",
  "test/ledger/**/*.test.ts",
  "test/tidy/**/*.test.ts"
]
/** Files that replace a module which the tested code imports. */
const spying = ["test/auth/access/Hmac.test.ts", "test/auth/oauth/ClientAuthentication.test.ts"]
const processes = ["test/nodes/**/*.test.ts"]

/**
 * Three files run at once. They bound no time in less than ten times what a quiet machine needs, where the longest test
 * takes two minutes.
 */
const ofProcesses = { setupFiles: "test/HeldFrames.ts", testTimeout: 900_000, sequence: { groupOrder: 1 } }

/** `npm test -- --quick` runs the files that need memory alone. */
const isQuick = process.env["VENUE_TESTS"] === "quick"
const slow = ["test/Postgres.ts", "test/PostgresServer.ts", "test/pages/Chromium.ts", "node:child_process"]
const leftOut = isQuick ? needing(import.meta.dirname, "test/**/*.test.ts", slow) : []

const setupFiles = "test/HeldFrames.ts"
const beside = isQuick ? { setupFiles } : { setupFiles, globalSetup: "test/PostgresServer.ts" }

const quick = [
  { extends: true as const, test: { name: "pure", include: pure } },
  {
    extends: true as const,
    test: {
      name: "whole",
      include: ["test/**/*.test.ts"],
      exclude: [...pure, ...spying, ...processes, ...leftOut],
      ...beside
    }
  },
  { extends: true as const, test: { name: "spying", include: spying, exclude: [...leftOut], isolate: true, ...beside } }
]

export default defineConfig({
  test: {
    pool: "forks",
    // One more than the cores of a small machine: many files wait for a chain, a browser or a process.
    maxWorkers: 3,
    // Limits of a test that hangs: a busy machine may take twenty times as long as a quiet one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    allowOnly: false,
    isolate: false,
    projects: isQuick
      ? quick
      : [...quick, { extends: true, test: { name: "processes", include: processes, ...ofProcesses } }]
  }
})
