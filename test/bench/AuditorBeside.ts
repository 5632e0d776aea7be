/** Runs the auditor as a separate process next to a venue, so that its cost can be measured on its own. */
import { spawn } from "node:child_process"
import * as Guard from "../nodes/Guard.ts"
import { ours } from "./Checkout.ts"

export interface AuditorBeside {
  readonly pid: number
  readonly stop: () => Promise<void>
}

/** Resolves when the auditor has started. Rejects if the process exits earlier. */
export const startAuditor = async (databaseUrl: string): Promise<AuditorBeside> => {
  const child = spawn(process.execPath, [...ours.nodeFlags, "apps/auditor/main.ts"], {
    cwd: ours.folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, VENUE_DATABASE_URL: databaseUrl, VENUE_AUDITOR_HEALTH_PORT: "0" }
  })
  const kill = (): void => void child.kill("SIGKILL")
  process.once("exit", kill)
  child.once("exit", Guard.over(child.pid!))
  let said = ""
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()))
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (data: Buffer) => {
        said = (said + data.toString()).slice(-mostSaid)
        if (said.includes("auditor started")) resolve()
      })
    }
    void gone.then(() => reject(new Error(`the auditor did not start: ${said}`)))
  })
  return {
    pid: child.pid!,
    stop: async () => {
      process.removeListener("exit", kill)
      if (child.exitCode !== null) throw new Error(`the auditor ended by itself with ${child.exitCode}: ${said}`)
      child.kill("SIGTERM")
      await gone
    }
  }
}

const mostSaid = 10_000
