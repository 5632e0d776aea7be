/** Limits, published ports and health checks of compose.yaml, and the two examples of an edge. */
import { execFileSync, spawn } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { until } from "../nodes/DevApp.ts"
import { compose, read, root } from "./Manifests.ts"

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

const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "venue-compose-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

it("the command of the page creates each missing secret file empty, and changes no other", () => {
  const folder = newFolder()
  copyFileSync(join(root, "compose.yaml"), join(folder, "compose.yaml"))
  mkdirSync(join(folder, "secrets"))
  writeFileSync(join(folder, "secrets/secret_key"), "a key")
  const [, script = ""] = /^(sed -n .*)$/m.exec(read("docs/operate/compose.md")) ?? []
  execFileSync("sh", ["-euc", script], { cwd: folder })
  const contents = readdirSync(join(folder, "secrets")).map((name) => [
    name,
    readFileSync(join(folder, "secrets", name), "utf8")
  ])
  const mounted = new Set(services.flatMap(([, { secrets = [] }]) => secrets))
  expect(Object.fromEntries(contents)).toEqual(
    Object.fromEntries([...mounted].map((name) => [name, name === "secret_key" ? "a key" : ""]))
  )
})

it("the archive service starts an archiver, waits a day also after a failure, and stops at once", async () => {
  const folder = newFolder()
  for (const [name, text] of [
    ["node", `echo "node $@" >> ${folder}/calls; exit 1`],
    ["sleep", `echo "sleep $@" >> ${folder}/calls; exec /bin/sleep "$@"`]
  ] as const) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  const { command, entrypoint } = compose.services["archive"]!
  const [program, ...options] = [...entrypoint!, ...command!].map((word) => word.replaceAll("$$", "$"))
  const child = spawn(program!, options, {
    env: { PATH: `${folder}:${process.env["PATH"]}`, ARCHIVE_DAYS: "30" },
    stdio: "ignore"
  })
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  onTestFinished(() => void child.kill("SIGKILL"))
  const calls = () => readdirSync(folder).includes("calls") && readFileSync(join(folder, "calls"), "utf8")
  await until("the service waits", () => calls() === "node apps/archive/main.ts --older-than 30\nsleep 86400\n")
  child.kill("SIGTERM")
  expect(await ended).toBe(0)
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
