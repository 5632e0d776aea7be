/** Used part of the generated client; the package has no types. */
declare module "swagger-client" {
  interface Execution {
    readonly operationId: string
    readonly parameters?: Readonly<Record<string, unknown>>
    readonly requestBody?: unknown
    readonly securities?: { readonly authorized: Readonly<Record<string, unknown>> }
  }
  interface Client {
    readonly errors: ReadonlyArray<unknown>
    /** Fails for a status other than success, with the answer as `response`. */
    // oxlint-disable-next-line typescript/no-explicit-any
    readonly execute: (execution: Execution) => Promise<{ readonly status: number; readonly body: any }>
  }
  export default function make(options: { readonly url: string }): Promise<Client>
}
