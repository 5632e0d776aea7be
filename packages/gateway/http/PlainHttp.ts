/** Refusals that precede routing: requests with a faulty first line or headers, and bytes that are not HTTP. */
import { Buffer } from "node:buffer"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

export interface Fault {
  readonly status: number
  readonly title: string
  readonly detail?: string
}

/** Returns a refusal body in the listener's format. */
export type Wording = (fault: Fault) => { readonly contentType: string; readonly body: object }

/** Sends a JSON body with `cache-control: no-store`. */
export const send = (
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: object
): void => {
  // A text body is sent in one write with the headers.
  const text = JSON.stringify(body)
  response.writeHead(status, { "cache-control": "no-store", ...headers, "content-length": Buffer.byteLength(text) })
  response.end(text)
}

/** Returns the fault in a request's first line or headers, or undefined if both are valid. */
export const headFault = (request: IncomingMessage): Fault | undefined =>
  (request.url ?? "").length > maxTargetBytes ? targetTooLong : hostFault(request)

/**
 * Requires exactly one `Host` header (HTTP/1.0: at most one). With two, this server and a proxy in front might use
 * different ones.
 */
const hostFault = ({ httpVersion, rawHeaders }: IncomingMessage): Fault | undefined => {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === "host") hosts++
  }
  return hosts === 1 || (hosts === 0 && httpVersion === "1.0") ? undefined : notOneHost
}

/**
 * Returns the fault of a request that reaches a loopback listener under a foreign host name. Prevents DNS rebinding,
 * in which a page whose name resolves to this machine could read the response as one from its own site.
 */
export const nameFault = ({ headers }: IncomingMessage, names: ReadonlyArray<string>): Fault | undefined =>
  names.includes(headers.host?.toLowerCase() ?? "")
    ? undefined
    : { status: 421, title: "Misdirected Request", detail: `Expected a Host header that is ${names.join(" or ")}.` }

/** Refuses a request and closes its connection, because the body is not read. */
export const refuse = (wording: Wording, response: ServerResponse, fault: Fault): void => {
  const { body, contentType } = wording(fault)
  send(response, fault.status, { "content-type": contentType, connection: "close" }, body)
}

/** Refuses on a raw socket, which has no response object. */
export const refuseSocket = (
  wording: Wording,
  socket: Duplex,
  fault: Fault,
  headers: Readonly<Record<string, string>> = {}
): void => {
  const { body, contentType } = wording(fault)
  const text = JSON.stringify(body)
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(
    `HTTP/1.1 ${fault.status} ${fault.title}\r\nContent-Type: ${contentType}\r\n${more.join("")}` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${text}`,
    () => socket.destroy()
  )
}

/**
 * Refuses invalid HTTP and `Expect` headers, which Node would refuse without a body. A connection whose TLS handshake
 * failed cannot carry a refusal and is closed.
 */
export const refuseUnparsable = (server: Server, wording: Wording): void => {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || /^ERR_(SSL|TLS)_/.test(error.code ?? "") || !socket.writable)
      return void socket.destroy()
    refuseSocket(wording, socket, unparsables.get(error.code ?? "") ?? notHttp)
  })
  server.on("checkExpectation", (_, response) =>
    refuse(wording, response, {
      status: 417,
      title: "Expectation Failed",
      detail: "The Expect header is not supported; omit it."
    })
  )
}

/** Maximum length of a request target, in bytes. Node passes the target with one character per byte. */
const maxTargetBytes = 8 * 1024

const targetTooLong: Fault = {
  status: 414,
  title: "URI Too Long",
  detail: "The request target exceeds the limit of 8 KiB; shorten the URL."
}

const notHttp: Fault = {
  status: 400,
  title: "Bad Request",
  detail: "The bytes are not a valid HTTP request; send HTTP/1.1."
}

const notOneHost: Fault = { status: 400, title: "Bad Request", detail: "Expected exactly one Host header." }

const unparsables: ReadonlyMap<string, Fault> = new Map([
  [
    "HPE_HEADER_OVERFLOW",
    {
      status: 431,
      title: "Request Header Fields Too Large",
      detail: "The request line and headers together exceed the limit of 16 KiB; send fewer or shorter headers."
    }
  ],
  [
    "ERR_HTTP_REQUEST_TIMEOUT",
    {
      status: 408,
      title: "Request Timeout",
      detail: "The request did not arrive within the time limit; send it faster."
    }
  ]
])
