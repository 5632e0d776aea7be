/** `VENUE_SECRET_KEY` is replaced by rolling restarts of a runner and two gateways, in the documented order. */
import { expect, it } from "vitest"
import * as Command from "./Command.ts"
import * as Database from "./Database.ts"
import * as DevApp from "./DevApp.ts"
import * as Ports from "./Ports.ts"
import * as TradeSocket from "./TradeSocket.ts"
import * as VenueProcesses from "./VenueProcesses.ts"

/** The key under which `VenueProcesses.seed` seals the secrets of the API keys. */
const old = "0123456789abcdef0123456789abcdef"
const fresh = "fedcba9876543210fedcba9876543210"
const gateways = ["gateway-1", "gateway-2"]

it("every gateway opens every stored secret while the secret key is replaced node by node", async () => {
  const { url } = await Database.serve()
  const [one, two] = await Ports.free(2)
  const adminPorts: Readonly<Record<string, number | undefined>> = { "gateway-1": one, "gateway-2": two }
  const nodes = new Map<string, VenueProcesses.NodeProcess>()
  const launch = (name: string, key: string) =>
    VenueProcesses.launch(url, name, {
      VENUE_SECRET_KEY: key,
      ...(adminPorts[name] === undefined ? {} : { VENUE_ADMIN_PORT: String(adminPorts[name]) })
    })
  const start = async (name: string, key: string) => {
    const node = await launch(name, key)
    nodes.set(name, node)
    await VenueProcesses.ready(node)
    await DevApp.until(
      `${name} is ready`,
      async () => (await VenueProcesses.health(node, "ready")) === 200,
      node.output
    )
  }
  const admin = async (name: string, method: "GET" | "POST", body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${adminPorts[name]}/signing-keys`, {
      method,
      headers: { authorization: "Bearer svc_test_admin", "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    expect(answer.ok).toBe(true)
    return (await answer.json()) as { readonly kid: string; readonly data: ReadonlyArray<{ readonly kid: string }> }
  }
  const rekey = () =>
    Command.run("apps/rekey/main.ts", [], { VENUE_DATABASE_URL: url, VENUE_SECRET_KEY: `${fresh},${old}` })

  for (const name of ["runner-1", ...gateways]) await start(name, old)
  const [trader] = await VenueProcesses.seed(url)
  const kids = new Set((await admin("gateway-1", "GET")).data.map(({ kid }) => kid))
  const expectSecretsToOpen = async () => {
    for (const name of gateways) {
      // The gateway opens the API key's secret for each sign-in, and does not keep it.
      await (await TradeSocket.open(nodes.get(name)!.tradeUrl, trader!)).close()
      await DevApp.until(
        `${name} opens every signing key`,
        async () => {
          const known = (await admin(name, "GET")).data.map(({ kid }) => kid)
          return [...kids].every((kid) => known.includes(kid))
        },
        nodes.get(name)!.output
      )
    }
  }
  const restart = async (name: string, key: string) => {
    expect(await nodes.get(name)!.end("SIGTERM")).toEqual({ code: 0, signal: null })
    await start(name, key)
    await expectSecretsToOpen()
  }
  await expectSecretsToOpen()

  // A node that skips the first step would seal secrets that the others cannot open.
  const early = await launch("gateway-3", `${fresh},${old}`)
  expect((await early.ended).code).toBe(1)
  expect(early.output()).toContain("VENUE_SECRET_KEY")

  for (const name of ["runner-1", ...gateways]) await restart(name, `${old},${fresh}`)

  await restart("gateway-1", `${fresh},${old}`)
  // Sealed under the new key, while the other gateway and the runner still seal under the old one.
  kids.add((await admin("gateway-1", "POST", { reason: "a test" })).kid)
  await expectSecretsToOpen()
  const tooEarly = await rekey()
  expect([tooEarly.code, tooEarly.output]).toEqual([1, expect.stringMatching(/gateway-2.*expected the new key first/)])
  expect(tooEarly.output).not.toContain("renewed")
  for (const name of ["gateway-2", "runner-1"]) await restart(name, `${fresh},${old}`)

  const renewal = await rekey()
  expect([renewal.code, renewal.output]).toEqual([
    0,
    expect.stringContaining("all secrets are sealed under the new key")
  ])
  expect(renewal.output).toMatch(/^api_key: [1-9]\d* renewed, 0 renewed before$/m)
  // The publication of the second key stored both again.
  expect(renewal.output).toMatch(/^signing_key: 0 renewed, 2 renewed before$/m)
  await expectSecretsToOpen()
  expect((await rekey()).output).toMatch(/^api_key: 0 renewed, [1-9]\d* renewed before$/m)

  for (const name of ["runner-1", ...gateways]) await restart(name, fresh)
  const late = await launch("runner-2", old)
  expect((await late.ended).code).toBe(1)
  expect(late.output()).toContain("the mark of VENUE_SECRET_KEY was")
})
