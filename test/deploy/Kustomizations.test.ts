/** The overlays for Kubernetes: files, references, secrets, network policies, and settings as the nodes read them. */
import { ConfigProvider, Effect, Exit, FileSystem } from "effect"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import * as Access from "../../apps/process/Access.ts"
import * as NodeSettings from "../../apps/process/NodeSettings.ts"
import { declared } from "../../apps/process/Setting.ts"
import { modules } from "../apps/process/SettingsPage.ts"
import { type Build, kubernetesFiles, overlays, read, workloadsOf } from "./Manifests.ts"

const builds = Object.entries(overlays)
const podsOf = ({ manifests }: Build) =>
  manifests.flatMap(({ metadata, spec }) =>
    spec?.template === undefined ? [] : [{ metadata, pod: spec.template.spec }]
  )
const containersOf = (build: Build) =>
  podsOf(build).flatMap(({ pod }) => [...(pod.initContainers ?? []), ...pod.containers])

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

it("the page lists each Secret and each of its keys that a pod reads", () => {
  const page = read("docs/operate/kubernetes.md")
  const rows = new Map(
    [...page.matchAll(/^\| `([\w-]+)` \| ([^|]+) \|/gm)].map(([, secret, keys]) => [
      secret!,
      new Set([...keys!.matchAll(/`([\w.]+)`/g)].map(([, key]) => key!))
    ])
  )
  for (const [, build] of builds) {
    for (const { pod } of podsOf(build)) {
      const folders = new Map<string, string>()
      for (const { name, secret } of pod.volumes ?? []) {
        if (secret === undefined) continue
        assert.isTrue(rows.has(secret.secretName), secret.secretName)
        for (const { key } of secret.items ?? []) assert.isTrue(rows.get(secret.secretName)!.has(key), key)
        const mount = pod.containers[0]!.volumeMounts?.find((mounted) => mounted.name === name)
        if (mount !== undefined) folders.set(mount.mountPath, secret.secretName)
      }
      for (const { env } of pod.containers) {
        for (const { name, value = "", valueFrom } of env) {
          const reference = valueFrom?.secretKeyRef
          if (reference !== undefined) assert.isTrue(rows.get(reference.name)?.has(reference.key), name)
          const [, folder = "", key = ""] = /^(\/run\/secrets\/\w+)\/([\w.]+)$/.exec(value) ?? []
          if (folder !== "") assert.isTrue(rows.get(folders.get(folder) ?? "")?.has(key), `${name} ${value}`)
        }
      }
    }
  }
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
    for (const { metadata, spec } of workloadsOf(build.manifests)) {
      const own = policies.filter(({ podSelector }) => podSelector.matchLabels[label] === metadata.name)
      assert.lengthOf(own, 1, metadata.name)
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
      const { env } = podsOf(build).find(({ metadata }) => metadata.name === kind)!.pod.containers[0]!
      const variables: Record<string, string> = { ...map }
      for (const { name, value = "" } of env) {
        const file = `${folder}/${name}`
        const isSecret = name.endsWith("_FILE")
        if (isSecret) {
          const text = /DATABASE_URL/.test(name)
            ? "postgres://db/venue"
            : /BUILDER|CAPTCHA|BANK/.test(name)
              ? ""
              : drawn
          yield* files.writeFileString(file, text)
        }
        if (!/_TLS_|^POD_IP$/.test(name) && value !== "") variables[name] = isSecret ? file : value
      }
      variables["VENUE_NODE_NAME"] = `${kind}-0`
      // Kubernetes replaces the names of other variables.
      if (kind === "runner") {
        variables["VENUE_CLUSTER_ADDRESS"] = "runner-0.runner:4100"
        variables["VENUE_CLUSTER_LISTEN"] = "10.0.0.3:4100"
        variables["VENUE_WALLET_SECRET"] = drawn
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
      if (kind === "gateway") yield* Access.layer(settings, settings.key)
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
