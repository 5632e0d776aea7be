/**
 * How the tests run: pure rooms at once, the others beside one database server, and those that start processes of the venue
 * afterwards. The files of a worker share the modules they import, which nothing changes; reading those again for each file
 * would take longer than most of the files.
 */
import { defineConfig } from "vitest/config"

const pure = [
  "test/domain/**/*.test.ts",
  "test/matching/**/*.test.ts",
  "test/ledger/**/*.test.ts",
  "test/tidy/**/*.test.ts"
]
/** These look into a module that the code under them imports. */
const spying = ["test/auth/access/Hmac.test.ts", "test/auth/oauth/ClientAuthentication.test.ts"]
/** What a process says and leaves when it starts and ends: nothing here is under load, so two go on side by side. */
const starting = ["Boot", "ClusterEnding", "DatabaseTaken", "Ending", "Restart", "Starting", "Stopping", "Wallet"].map(
  (name) => `test/nodes/${name}.test.ts`
)
const processes = ["test/nodes/**/*.test.ts"]

const beside = { globalSetup: "test/PostgresServer.ts", setupFiles: "test/HeldFrames.ts" }

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    allowOnly: false,
    isolate: false,
    projects: [
      { extends: true, test: { name: "pure", include: pure } },
      {
        extends: true,
        test: { name: "whole", include: ["test/**/*.test.ts"], exclude: [...pure, ...spying, ...processes], ...beside }
      },
      { extends: true, test: { name: "spying", include: spying, isolate: true, ...beside } },
      {
        extends: true,
        test: { name: "starting", include: starting, setupFiles: "test/HeldFrames.ts", sequence: { groupOrder: 1 } }
      },
      {
        extends: true,
        test: {
          // What they wait for needs a machine that does nothing else.
          name: "processes",
          include: processes,
          exclude: starting,
          setupFiles: "test/HeldFrames.ts",
          maxWorkers: 1,
          sequence: { groupOrder: 2 }
        }
      }
    ]
  }
})
