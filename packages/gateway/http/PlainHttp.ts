/** Answers below all routes: what is refused before anything is made of a request, by every listener in its own words. */
import { Buffer } from "node:buffer"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

/** Why bytes are not a request that is served here. */
export interface Fault {
  readonly status: number
  readonly title: string
  readonly detail?: string
}

/** How an address words it. */
export type Wording = (fault: Fault) => { readonly contentType: string; readonly body: object }

export const send = (
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: object
): void => {
  // As a text it goes out in one piece with the headers.
  const text = JSON.stringify(body)
  response.writeHead(status, { "cache-control": "no-store", ...headers, "content-length": Buffer.byteLength(text) })
  response.end(text)
}

/** Why a request is refused for its first line or its headers. */
export const headFault = (request: IncomingMessage): Fault | undefined =>
  (request.url ?? "").length > maxTargetBytes ? targetTooLong : hostFault(request)

/**
 * From HTTP/1.1 on a request says whom it is for, and none says so twice: of two names a proxy in front may believe the
 * other one.
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
 * An address of this machine alone is asked by its own names. A page that asks by another has its name lead here, and
 * would read the answer as its own site's.
 */
export const nameFault = ({ headers }: IncomingMessage, names: ReadonlyArray<string>): Fault | undefined =>
  names.includes(headers.host?.toLowerCase() ?? "")
    ? undefined
    : { status: 421, title: "Misdirected Request", detail: `Expected a Host header that is ${names.join(" or ")}.` }

/** The connection ends, since the body is not read. */
export const refuse = (wording: Wording, response: ServerResponse, fault: Fault): void => {
  const { body, contentType } = wording(fault)
  send(response, fault.status, { "content-type": contentType, connection: "close" }, body)
}

/** The same where there is no response to write to. */
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

/** Node would answer these without a body. */
export const refuseUnparsable = (server: Server, wording: Wording): void => {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
    refuseSocket(wording, socket, unparsables.get(error.code ?? "") ?? notHttp)
  })
  server.on("checkExpectation", (_, response) =>
    refuse(wording, response, { status: 417, title: "Expectation Failed", detail: "No expectation is met here." })
  )
}

/** Node gives an address as it came, a character for each byte. */
const maxTargetBytes = 8 * 1024

const targetTooLong: Fault = {
  status: 414,
  title: "URI Too Long",
  detail: "The address of a request is 8 KiB at most."
}

const notHttp: Fault = {
  status: 400,
  title: "Bad Request",
  detail: "The bytes are not an HTTP request; send one of HTTP/1.1."
}

const notOneHost: Fault = { status: 400, title: "Bad Request", detail: "Expected one Host header." }

const unparsables: ReadonlyMap<string, Fault> = new Map([
  [
    "HPE_HEADER_OVERFLOW",
    {
      status: 431,
      title: "Request Header Fields Too Large",
      detail: "The address and the headers of a request are 16 KiB together at most."
    }
  ],
  [
    "ERR_HTTP_REQUEST_TIMEOUT",
    { status: 408, title: "Request Timeout", detail: "The request did not arrive in time: it was sent too slowly." }
  ]
])
