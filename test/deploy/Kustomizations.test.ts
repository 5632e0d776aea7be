/** The overlays for Kubernetes: files, references, secrets, network policies, and settings as the nodes read them. */
import { ConfigProvider, Effect, Exit, FileSystem } from "effect"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import * as Access from "../../apps/process/Access.ts"
import * as NodeSettings from "../../apps/process/NodeSettings.ts"
import * as RunningRules from "../../apps/process/RunningRules.ts"
import { refuseAll } from "../../apps/process/SettingRefused.ts"
import { declared } from "../../apps/process/Setting.ts"
import { modules } from "../apps/process/SettingsPage.ts"
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy"
import { execFileSync } from "node:child_process"
import { chmodSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import * as Keys from "../../apps/keys/Keys.ts"
import { type Build, kubernetesFiles, overlays, podsOf, read, workloadsOf } from "./Manifests.ts"

const builds = Object.entries(overlays)
const containersOf = ({ manifests }: Build) => podsOf(manifests).flatMap(({ containers }) => containers)
const page = read("docs/operate/kubernetes.md")

it("every file of the manifests is part of an overlay", () => {
  const used = new Set(builds.flatMap(([, { files }]) => files))
  assert.deepStrictEqual(
    kubernetesFiles.filter((file) => !used.has(file)),
    []
  )
})

it("each overlay has one object of each name, in its own namespace, with the image given once", () => {
  for (const [name, build] of builds) {
    const names = build.manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    assert.deepStrictEqual(names, [...new Set(names)])
    const namespace = name === "production" ? "venue" : "venue-preproduction"
    for (const { kind, metadata } of build.manifests)
      assert.strictEqual(kind === "Namespace" ? metadata.name : metadata.namespace, namespace)
    assert.deepStrictEqual(
      [...new Set(containersOf(build).map(({ image }) => image))],
      ["registry.venue.example/venue:0.1.0"]
    )
  }
})

/** Keys of each Secret in the table of the page. */
const listed = new Map(
  [...page.matchAll(/^\| `([\w-]+)` \| ([^|]+) \|/gm)].map(([, secret, keys]) => [
    secret!,
    new Set([...keys!.matchAll(/`([\w.]+)`/g)].map(([, key]) => key!))
  ])
)

/** Keys of each Secret that the containers of a build read as files. */
const readBy = (build: Build): ReadonlyMap<string, ReadonlySet<string>> => {
  const keys = new Map<string, Set<string>>()
  for (const { containers, pod } of podsOf(build.manifests)) {
    for (const { env, name: container, volumeMounts = [] } of containers) {
      for (const { name, value = "" } of env) {
        const [, folder = "", key = ""] = /^(\/run\/secrets\/\w+)\/([\w.]+)$/.exec(value) ?? []
        if (folder === "") continue
        const mount = volumeMounts.find(({ mountPath }) => mountPath === folder)
        const { items, secretName } = pod.volumes!.find((volume) => volume.name === mount?.name)!.secret!
        // A file that is not mounted is refused when the process starts.
        if (items !== undefined)
          assert.include(
            items.map((item) => item.key),
            key,
            `${container} ${name}`
          )
        keys.set(secretName, new Set([...(keys.get(secretName) ?? []), key]))
      }
    }
  }
  return keys
}

it("each key of a Secret that a container reads is mounted and on the page", () => {
  for (const [, build] of builds) {
    for (const [secret, keys] of readBy(build))
      for (const key of keys) assert.isTrue(listed.get(secret)?.has(key), `${secret} ${key}`)
    for (const { pod } of podsOf(build.manifests))
      for (const { secret } of pod.volumes ?? [])
        if (secret !== undefined) assert.isTrue(listed.has(secret.secretName), secret.secretName)
  }
})

it("the price source file of each overlay is a key of the Secret that runners mount", () => {
  for (const [, { manifests }] of builds) {
    const file = manifests.find(({ kind }) => kind === "ConfigMap")!.data!["VENUE_PRICE_SOURCES"]!
    const { pod } = podsOf(manifests).find(({ metadata }) => metadata.name === "runner")!
    const mount = pod.containers[0]!.volumeMounts!.find(({ mountPath }) => file.startsWith(`${mountPath}/`))!
    const { secretName } = pod.volumes!.find(({ name }) => name === mount.name)!.secret!
    assert.isTrue(listed.get(secretName)!.has(file.slice(mount.mountPath.length + 1)))
  }
})

it.effect("the commands of the page make each Secret that is not optional from the files of `npm run keys`", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const folder = yield* files.makeTempDirectoryScoped()
    yield* Keys.run([join(folder, "secrets")])
    const kubectl = join(folder, "kubectl")
    yield* files.writeFileString(kubectl, `#!/bin/sh\nprintf '%s\\n' "$*" >> ${folder}/calls\n`)
    chmodSync(kubectl, 0o755)
    const [, script = ""] = /^```sh\n(cd secrets\n[^]*?)```$/m.exec(page) ?? []
    execFileSync("sh", ["-euc", script], { cwd: folder, env: { PATH: `${folder}:${process.env["PATH"]}` } })
    const made = new Map<string, ReadonlySet<string>>()
    for (const call of readFileSync(join(folder, "calls"), "utf8").trim().split("\n")) {
      const [, secret = "", rest = ""] = /^-n venue create secret generic (\S+) (.*)$/.exec(call) ?? []
      const sources = [...rest.matchAll(/--from-file=(?:(\w+)=)?(\S+)/g)]
      for (const [, , file] of sources) assert.isTrue(yield* files.exists(join(folder, "secrets", file!)), file)
      made.set(secret, new Set(sources.map(([, key, file]) => key ?? file!)))
    }
    for (const [secret, keys] of readBy(overlays.production)) {
      assert.deepStrictEqual([...(made.get(secret) ?? [])].toSorted(), [...keys].toSorted(), secret)
      assert.deepStrictEqual([...listed.get(secret)!].toSorted(), [...keys].toSorted(), secret)
    }
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

it("the page's policy for operators opens a port of the gateways, and its settings name files of venue-admin", () => {
  const [, text = ""] = /^```yaml\n([^]*?)```$/m.exec(page) ?? []
  const policy = new NetworkPolicy(parse(text))
  policy.validate()
  const { pod } = podsOf(overlays.production.manifests).find(({ metadata }) => metadata.name === "gateway")!
  const { ports = [], volumeMounts = [] } = pod.containers[0]!
  assert.deepStrictEqual(policy.spec!.podSelector!.matchLabels, { "app.kubernetes.io/name": "gateway" })
  for (const { port } of policy.spec!.ingress!.flatMap(({ ports = [] }) => ports))
    assert.include(
      ports.map(({ name }) => name),
      port
    )
  const volume = pod.volumes!.find(({ secret }) => secret?.secretName === "venue-admin")!
  const mount = volumeMounts.find(({ name }) => name === volume.name)!
  const paths = [...page.matchAll(/^VENUE_ADMIN_TLS_\w+=(.*)$/gm)].map(([, path]) => path)
  assert.deepStrictEqual(
    paths,
    [...listed.get("venue-admin")!].map((key) => `${mount.mountPath}/${key}`)
  )
})

it("every variable of a pod is a setting of the venue", () => {
  assert.isAbove(modules.length, 0)
  const settings = new Set(declared.map(({ name }) => name))
  for (const [, build] of builds) {
    const map = build.manifests.find(({ kind }) => kind === "ConfigMap")!.data!
    const names = [...Object.keys(map), ...containersOf(build).flatMap(({ env }) => env.map(({ name }) => name))]
    assert.deepStrictEqual(
      names.filter((name) => name !== "POD_IP" && !settings.has(name.replace(/_FILE$/, ""))),
      []
    )
  }
})

it("a network policy selects each workload, and each named port of a policy or monitor exists", () => {
  interface Policy {
    readonly podSelector: { readonly matchLabels: Readonly<Record<string, string>> }
    readonly policyTypes: ReadonlyArray<string>
    readonly ingress?: ReadonlyArray<{ readonly ports: ReadonlyArray<{ readonly port: string | number }> }>
  }
  const label = "app.kubernetes.io/name"
  for (const [, build] of builds) {
    const policies = build.manifests
      .filter(({ kind }) => kind === "NetworkPolicy")
      .map(({ spec }) => spec as unknown as Policy)
    for (const policy of policies) assert.deepStrictEqual(policy.policyTypes, ["Ingress", "Egress"])
    const names = build.manifests.flatMap(({ kind, metadata }) => (kind === "CronJob" ? [metadata.name] : []))
    for (const name of [...names, ...workloadsOf(build.manifests).map(({ metadata }) => metadata.name)])
      assert.lengthOf(
        policies.filter(({ podSelector }) => podSelector.matchLabels[label] === name),
        1,
        name
      )
    for (const { metadata, spec } of workloadsOf(build.manifests)) {
      const own = policies.filter(({ podSelector }) => podSelector.matchLabels[label] === metadata.name)
      const ports = spec.template!.spec.containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name))
      for (const { port } of own.flatMap(({ ingress = [] }) => ingress.flatMap(({ ports }) => ports)))
        assert.include(ports, port, metadata.name)
      if (metadata.name !== "wallet") assert.include(ports, "health", metadata.name)
    }
    const monitor = build.manifests.find(({ kind }) => kind === "PodMonitor")!
    assert.deepStrictEqual(monitor.spec as object, {
      selector: { matchLabels: { "app.kubernetes.io/part-of": "venue" } },
      podMetricsEndpoints: [{ port: "health", path: "/metrics", interval: "15s" }]
    })
  }
})

it("the ingress has the five hosts of the settings, each with its port of the gateways", () => {
  interface Rule {
    readonly host: string
    readonly http: {
      readonly paths: ReadonlyArray<{
        readonly backend: { readonly service: { readonly port: { readonly name: string } } }
      }>
    }
  }
  const ports = { REST: "rest", FUNDING: "funding", AUTH: "auth", TRADE: "trade", MARKET_DATA: "market-data" }
  for (const [, build] of builds) {
    const map = build.manifests.find(({ kind }) => kind === "ConfigMap")!.data!
    const rules = build.manifests
      .filter(({ kind }) => kind === "Ingress")
      .flatMap(({ spec }) => (spec as unknown as { readonly rules: ReadonlyArray<Rule> }).rules)
      .map(({ host, http }) => [host, http.paths[0]!.backend.service.port.name])
    const wanted = Object.entries(ports).map(([name, port]) => [new URL(map[`VENUE_PUBLIC_${name}_URL`]!).host, port])
    assert.deepStrictEqual(rules, wanted)
  }
})

const drawn = "0123456789abcdef0123456789abcdef"

it.effect("with addresses and secrets of its own, each node of each overlay starts; with the examples none does", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const folder = yield* files.makeTempDirectoryScoped()
    const start = Effect.fnUntraced(function* (build: Build, kind: "runner" | "gateway", domain: string) {
      const map = build.manifests.find(({ kind }) => kind === "ConfigMap")!.data!
      const { env } = podsOf(build.manifests).find(({ metadata }) => metadata.name === kind)!.pod.containers[0]!
      const variables: Record<string, string> = { ...map }
      for (const { name, value = "" } of env) {
        const file = `${folder}/${name}`
        const isSecret = name.endsWith("_FILE")
        if (isSecret) {
          const text = /DATABASE_URL/.test(name)
            ? "postgres://db/venue"
            : /BUILDER|CAPTCHA|BANK|ARBITRUM|TRON/.test(name)
              ? ""
              : drawn
          yield* files.writeFileString(file, text)
        }
        if (!/_TLS_|^POD_IP$/.test(name) && value !== "") variables[name] = isSecret ? file : value
      }
      variables["VENUE_NODE_NAME"] = `${kind}-0`
      variables["VENUE_PRICE_SOURCES"] = `${folder}/sources.json`
      yield* files.writeFileString(variables["VENUE_PRICE_SOURCES"], '{ "sources": [] }')
      // Kubernetes replaces the names of other variables.
      if (kind === "runner") {
        variables["VENUE_CLUSTER_ADDRESS"] = "runner-0.runner:4100"
        variables["VENUE_CLUSTER_LISTEN"] = "10.0.0.3:4100"
      }
      const environment = Object.fromEntries(
        Object.entries(variables).map(([name, value]) => [
          name,
          value
            .replaceAll(".venue.example", domain)
            .replaceAll("//venue.example", "//venue.test")
            .replace(/^pk_live_0+$/, `pk_live_${drawn}`)
        ])
      )
      const settings = yield* NodeSettings.load(kind).pipe(
        Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: environment }))
      )
      if (kind === "gateway") {
        yield* Access.layer(settings, settings.key)
        yield* refuseAll(RunningRules.faultsOf(settings, RunningRules.initialOf(settings)))
      }
      return settings
    })
    for (const [name, build] of builds) {
      for (const kind of ["runner", "gateway"] as const) {
        const settings = yield* start(build, kind, ".venue.test")
        assert.strictEqual(settings.environment, name)
        assert.strictEqual(settings.simulatedRails, name === "preproduction")
      }
      assert.isTrue(Exit.isFailure(yield* Effect.exit(start(build, "gateway", ".venue.example"))))
    }
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)
