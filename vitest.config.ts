/**
 * How the tests run: pure rooms at once, the others beside one database server, and those that start processes of the venue
 * afterwards, as what they wait for needs a machine that does little else.
 */
import { defineConfig } from "vitest/config"

const pure = [
  "test/domain/**/*.test.ts",
  "test/matching/**/*.test.ts",
  "test/ledger/**/*.test.ts",
  "test/tidy/**/*.test.ts"
]
const processes = ["test/nodes/**/*.test.ts"]

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    allowOnly: false,
    projects: [
      { extends: true, test: { name: "pure", include: pure } },
      {
        extends: true,
        test: {
          name: "whole",
          include: ["test/**/*.test.ts"],
          exclude: [...pure, ...processes],
          globalSetup: "test/PostgresServer.ts",
          setupFiles: "test/HeldFrames.ts"
        }
      },
      {
        extends: true,
        test: {
          name: "processes",
          include: processes,
          setupFiles: "test/HeldFrames.ts",
          maxWorkers: 1,
          sequence: { groupOrder: 1 }
        }
      }
    ]
  }
})
