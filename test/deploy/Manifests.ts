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
  readonly metadata: { readonly name: string }
  readonly spec: Workload
}

export interface Workload {
  readonly replicas?: number
  readonly maxUnavailable?: number
  readonly minAvailable?: number
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> }
  readonly template?: {
    readonly metadata: { readonly labels: Readonly<Record<string, string>> }
    readonly spec: {
      readonly terminationGracePeriodSeconds: number
      readonly securityContext: { readonly runAsNonRoot?: boolean }
      readonly containers: ReadonlyArray<Container>
    }
  }
}

interface Container {
  readonly args: ReadonlyArray<string>
  readonly env: ReadonlyArray<{ readonly name: string; readonly value?: string }>
  readonly securityContext: { readonly readOnlyRootFilesystem?: boolean }
  readonly readinessProbe: { readonly httpGet: { readonly path: string } }
  readonly livenessProbe: {
    readonly httpGet: { readonly path: string }
    readonly periodSeconds: number
    readonly failureThreshold: number
  }
}

export const manifests: ReadonlyArray<Manifest> = globSync("deploy/kubernetes/**/*.yaml", { cwd: root })
  .toSorted()
  .flatMap((file) => parseAllDocuments(read(file)).map((document) => document.toJS() as Manifest))

export const workloads = manifests.filter(({ kind }) => kind === "StatefulSet" || kind === "Deployment")

export interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly command?: ReadonlyArray<string>
        readonly environment?: Readonly<Record<string, string>>
        readonly ports?: ReadonlyArray<string>
        readonly read_only?: boolean
        readonly healthcheck?: object
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
