/** compose.yaml and the Kubernetes manifests as data. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse, parseAllDocuments } from "yaml"

export const root = join(import.meta.dirname, "../..")
export const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** The parts of a manifest that the tests read. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly spec: Workload
  readonly data?: Readonly<Record<string, string>>
}

export interface Workload {
  readonly replicas?: number
  readonly maxUnavailable?: number
  readonly minAvailable?: number
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> }
  readonly strategy?: { readonly type: string }
  readonly template?: Template
  /** Only a CronJob has one. */
  readonly jobTemplate?: { readonly spec: { readonly template: Template } }
}

interface Template {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> }
  readonly spec: {
    readonly terminationGracePeriodSeconds: number
    readonly securityContext: { readonly runAsNonRoot?: boolean }
    readonly containers: ReadonlyArray<Container>
    readonly initContainers?: ReadonlyArray<Container>
    readonly volumes?: ReadonlyArray<Volume>
  }
}

interface Volume {
  readonly name: string
  readonly persistentVolumeClaim?: { readonly claimName: string }
  readonly secret?: {
    readonly secretName: string
    readonly optional?: boolean
    readonly items?: ReadonlyArray<{ readonly key: string }>
  }
}

interface Reference {
  readonly name: string
  readonly key: string
  readonly optional?: boolean
}

interface Container {
  readonly name: string
  readonly image: string
  readonly args: ReadonlyArray<string>
  readonly env: ReadonlyArray<{
    readonly name: string
    readonly value?: string
    readonly valueFrom?: { readonly secretKeyRef?: Reference; readonly configMapKeyRef?: Reference }
  }>
  readonly envFrom?: ReadonlyArray<{ readonly configMapRef: { readonly name: string } }>
  readonly ports?: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>
  readonly volumeMounts?: ReadonlyArray<{
    readonly name: string
    readonly mountPath: string
    readonly readOnly?: boolean
  }>
  readonly securityContext: { readonly readOnlyRootFilesystem?: boolean }
  readonly readinessProbe: { readonly httpGet: { readonly path: string } }
  readonly livenessProbe: {
    readonly httpGet: { readonly path: string }
    readonly periodSeconds: number
    readonly failureThreshold: number
  }
}

const kubernetes = "deploy/kubernetes"

interface Kustomization {
  readonly namespace?: string
  readonly resources?: ReadonlyArray<string>
  readonly components?: ReadonlyArray<string>
  readonly images?: ReadonlyArray<{ readonly name: string; readonly newName: string; readonly newTag: string }>
  readonly configMapGenerator?: ReadonlyArray<{
    readonly name: string
    readonly behavior?: "merge"
    readonly envs: ReadonlyArray<string>
  }>
}

export interface Build {
  readonly manifests: ReadonlyArray<Manifest>
  /** Files that were read, besides the kustomizations. */
  readonly files: ReadonlyArray<string>
}

/** Builds a kustomization, for the few members that the kustomizations of this project use. Others are refused. */
export const build = (folder: string): Build => {
  const text = parse(read(`${folder}/kustomization.yaml`)) as Kustomization & Record<string, unknown>
  const known = ["apiVersion", "kind", "namespace", "resources", "components", "images", "configMapGenerator"]
  const unknown = Object.keys(text).filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`${folder}: the tests cannot build ${unknown.join(", ")}`)
  const files: Array<string> = []
  const manifests: Array<Manifest> = []
  for (const path of [...(text.resources ?? []), ...(text.components ?? [])]) {
    const target = join(folder, path)
    const built = path.endsWith(".yaml") ? { manifests: documents(target), files: [target] } : build(target)
    files.push(...built.files)
    manifests.push(...built.manifests)
  }
  for (const { behavior, envs, name } of text.configMapGenerator ?? []) {
    const paths = envs.map((path) => join(folder, path))
    files.push(...paths)
    const data = Object.assign({}, ...paths.map(variablesOf)) as Readonly<Record<string, string>>
    const index = manifests.findIndex(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === name)
    if (index >= 0 !== (behavior === "merge")) throw new Error(`${folder}: ConfigMap ${name} must be merged once`)
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data } as Partial<Manifest> as Manifest
    if (index < 0) manifests.push(map)
    else manifests[index] = { ...map, data: { ...manifests[index]!.data, ...data } }
  }
  const changed = manifests.map((manifest) =>
    text.namespace === undefined ? manifest : inNamespace(manifest, text.namespace)
  )
  const images = text.images ?? []
  return {
    files,
    manifests: images.reduce((built, image) => built.map((manifest) => withImage(manifest, image)), changed)
  }
}

const documents = (file: string): ReadonlyArray<Manifest> =>
  parseAllDocuments(read(file)).map((document) => document.toJS() as Manifest)

/** Returns the variables of an env file, as kustomize reads it: comments and empty lines are ignored. */
const variablesOf = (file: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    read(file)
      .split("\n")
      .filter((line) => line.trim() !== "" && !line.startsWith("#"))
      .map((line) => {
        const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? []
        if (name === undefined) throw new Error(`${file}: ${line}`)
        return [name, value!]
      })
  )

const inNamespace = (manifest: Manifest, namespace: string): Manifest =>
  manifest.kind === "Namespace" ? manifest : { ...manifest, metadata: { ...manifest.metadata, namespace } }

const withImage = (
  manifest: Manifest,
  { name, newName, newTag }: NonNullable<Kustomization["images"]>[number]
): Manifest =>
  JSON.parse(JSON.stringify(manifest), (key, value: unknown) =>
    key === "image" && value === name ? `${newName}:${newTag}` : value
  ) as Manifest

export const overlays = {
  production: build(`${kubernetes}/overlays/production`),
  preproduction: build(`${kubernetes}/overlays/preproduction`)
}

/** Every YAML file of the folder that is no kustomization, and every file of settings. */
export const kubernetesFiles = globSync(`${kubernetes}/**/*.{yaml,env}`, { cwd: root })
  .filter((file) => !file.endsWith("kustomization.yaml"))
  .toSorted()

/** The manifests of production. */
export const manifests = overlays.production.manifests

export const workloadsOf = (manifests: ReadonlyArray<Manifest>): ReadonlyArray<Manifest> =>
  manifests.filter(({ kind }) => kind === "StatefulSet" || kind === "Deployment")
export const workloads = workloadsOf(manifests)

/** Pods of workloads, Jobs and CronJobs. */
export const podsOf = (manifests: ReadonlyArray<Manifest>) =>
  manifests.flatMap(({ metadata, spec }) => {
    const pod = (spec?.template ?? spec?.jobTemplate?.spec.template)?.spec
    return pod === undefined ? [] : [{ metadata, pod, containers: [...(pod.initContainers ?? []), ...pod.containers] }]
  })

export interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly command?: ReadonlyArray<string>
        readonly entrypoint?: ReadonlyArray<string>
        readonly environment?: Readonly<Record<string, string>>
        readonly ports?: ReadonlyArray<string>
        readonly read_only?: boolean
        readonly healthcheck?: { readonly test: ReadonlyArray<string>; readonly interval: string }
        readonly logging?: { readonly driver: string; readonly options: Readonly<Record<string, string>> }
        readonly mem_limit?: string
        readonly profiles?: ReadonlyArray<string>
        readonly networks?: ReadonlyArray<string>
        readonly secrets?: ReadonlyArray<string>
        readonly volumes?: ReadonlyArray<string>
      }
    >
  >
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>
}

/** Returns a compose service's interpolated environment, with its secret files in `folder`. */
export const environmentOf = (
  service: string,
  given: Readonly<Record<string, string>>,
  folder: string
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(compose.services[service]!.environment ?? {}).map(([name, value]) => [
      name,
      value
        .replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_, variable: string, kind: string, usual: string) => {
          const value = given[variable] ?? ""
          if (value === "" && kind === "?") throw new Error(`${variable}: ${usual}`)
          return value === "" ? usual : value
        })
        .replace("/run/secrets/", `${folder}/`)
    ])
  )

export const compose = parse(read("compose.yaml"), { merge: true }) as Compose
