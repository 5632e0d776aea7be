/** Metrics of the interfaces for clients: sockets, HTTP requests and sign-ins. */
import { counter, gauge, histogram, slow } from "../Definition.ts"

export const sockets = gauge("venue_sockets", {
  labels: ["listener"],
  nodes: ["gateway"],
  help: "Open sockets of the listener `trade` or `market_data`"
})

export const signedIn = gauge("venue_trade_connections", {
  nodes: ["gateway"],
  help: "Connections of the trade socket, signed in or not"
})

export const frames = counter("venue_socket_frames_total", {
  labels: ["listener"],
  nodes: ["gateway"],
  help: "Units charged for incoming frames: 1 for each frame, and 1 for each whole KiB"
})

export const upgradesRefused = counter("venue_socket_upgrades_refused_total", {
  labels: ["listener", "status", "reason"],
  nodes: ["gateway"],
  help: "Upgrades refused with status 429 or 503, by limit"
})

export const closes = counter("venue_socket_closes_total", {
  labels: ["listener", "code"],
  nodes: ["gateway"],
  help: "Sockets that the gateway closed, by close code such as 1008 or 1013"
})

export const requestSeconds = histogram("venue_http_request_seconds", {
  labels: ["listener", "route", "status"],
  nodes: ["gateway"],
  help: "Duration of a request until its response head, by route and status; route `none` for an unknown path",
  boundaries: slow
})

export const signInsFailed = counter("venue_sign_ins_failed_total", {
  labels: ["reason"],
  nodes: ["gateway"],
  help: "Refused `auth` messages of the trade socket"
})
