/** Limits, published ports and health checks of compose.yaml, and the two examples of an edge. */
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it } from "vitest"
import { compose, read } from "./Manifests.ts"

const services = Object.entries(compose.services)

it("every service limits its memory and its log", () => {
  for (const [, { logging, mem_limit }] of services) {
    expect(mem_limit).toMatch(/^(\$\{\w+:-)?\d+[mg]\}?$/)
    expect(logging).toEqual({ driver: "json-file", options: { "max-size": "50m", "max-file": "5" } })
  }
})

it("only the edge is reachable from other hosts", () => {
  for (const [name, { ports = [] }] of services) {
    const open = ports.filter((port) => !port.startsWith("127.0.0.1:"))
    expect(open).toEqual(name === "edge" ? ["80:80", "443:443"] : [])
  }
})

/** Ports that a service's health check connects to. */
const checked = services.flatMap(([name, { healthcheck }]) => {
  const [, host, port] = /\/dev\/tcp\/([\w.]+)\/(\d+)/.exec(healthcheck?.test.at(-1) ?? "") ?? []
  return host === undefined ? [] : [[name, `${host}:${port}`] as const]
})

it("each process of the venue is checked on its health port, without a Node process", () => {
  expect(Object.fromEntries(checked)).toEqual({
    "runner-1": "127.0.0.1:4010",
    "runner-2": "127.0.0.1:4010",
    "runner-3": "127.0.0.1:4010",
    "gateway-1": "127.0.0.1:4000",
    "gateway-2": "127.0.0.1:4000",
    auditor: "127.0.0.1:4030",
    wallet: "wallet:4020"
  })
  for (const [, { healthcheck }] of services)
    if (healthcheck !== undefined) expect(healthcheck.test.join(" ")).not.toContain("node ")
})

it("the health check of compose succeeds for status 200, and fails for status 503 or without a listener", async () => {
  const paths: Array<string | undefined> = []
  let status = 200
  const server = createServer((request, response) => {
    paths.push(request.url)
    response.writeHead(status).end("{}")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  const { port } = server.address() as AddressInfo
  const [, command, ...words] = compose.services["runner-1"]!.healthcheck!.test
  // Compose replaces $$ with $.
  const script = words.at(-1)!.replaceAll("$$", "$").replace("4010", String(port))
  const run = () =>
    new Promise<number | null>((resolve) =>
      spawn(command!, [...words.slice(0, -1), script], { stdio: "ignore" }).once("close", resolve)
    )
  expect(await run()).toBe(0)
  status = 503
  expect(await run()).not.toBe(0)
  expect(paths).toEqual(["/health/ready", "/health/ready"])
  await new Promise((resolve) => server.close(resolve))
  expect(await run()).not.toBe(0)
})

const hosts = { api: 4000, funding: 4001, auth: 4002, trade: 4003, "market-data": 4004 }

it("both edges have one host for each listener of both gateways", () => {
  const caddy = read("deploy/edge/Caddyfile")
  const sites = [...caddy.matchAll(/^([\w-]+)\.\{\$EDGE_DOMAIN\} \{\n\timport (requests|sockets) (\d+)\n\}/gm)]
  expect(Object.fromEntries(sites.map(([, host, , port]) => [host, Number(port)]))).toEqual(hosts)
  expect(sites.filter(([, , kind]) => kind === "sockets").map(([, host]) => host)).toEqual(["trade", "market-data"])
  expect(caddy).toContain("reverse_proxy gateway-1:{args[0]} gateway-2:{args[0]} {")

  const nginx = read("deploy/edge/nginx.conf")
  const upstreams = new Map(
    [...nginx.matchAll(/^upstream (\w+) .*?:(\d+); server 127\.0\.0\.1:(\d+);/gm)].map(([, name, first, second]) => [
      name,
      [Number(first), Number(second)]
    ])
  )
  const servers = [...nginx.matchAll(/server_name ([\w-]+)\.venue\.example;[^]*?proxy_pass http:\/\/(\w+);/g)]
  const published = ["gateway-1", "gateway-2"].map(
    (name) =>
      new Map(
        compose.services[name]!.ports!.map((port) => port.split(":").slice(1).map(Number).toReversed()) as Array<
          [number, number]
        >
      )
  )
  expect(servers.map(([, host]) => host)).toEqual(Object.keys(hosts))
  for (const [, host, upstream] of servers)
    expect(upstreams.get(upstream!)).toEqual(published.map((ports) => ports.get(hosts[host as keyof typeof hosts])))
})

it("both edges replace every header that the venue reads a caller's address from", () => {
  const caddy = read("deploy/edge/Caddyfile")
  expect(caddy).toContain("header_up X-Forwarded-For {remote_host}")
  expect(caddy).toContain("header_up -Forwarded")
  const locations = read("deploy/edge/nginx.conf").split("location / {").slice(1)
  expect(locations).toHaveLength(5)
  for (const location of locations) {
    expect(location).toContain("proxy_set_header X-Forwarded-For $remote_addr;")
    expect(location).toContain('proxy_set_header Forwarded "";')
  }
})
