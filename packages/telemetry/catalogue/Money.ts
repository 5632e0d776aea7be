/** Metrics of the venue's mode, the audit, rails, withdrawals and the wallet. */
import { counter, gauge, histogram, slow } from "../Definition.ts"

export const trading = gauge("venue_trading", {
  labels: ["state"],
  nodes: ["runner", "gateway"],
  help: "1 for the venue's current trading state `TRADING`, `CANCEL_ONLY` or `HALTED`, 0 for the other states"
})

export const withdrawalsOpen = gauge("venue_withdrawals_open", {
  nodes: ["runner", "gateway"],
  help: "1 if withdrawals are possible; 0 if they are blocked or the last audit is too old"
})

export const auditAge = gauge("venue_audit_age_seconds", {
  nodes: ["runner", "gateway", "auditor"],
  help: "Time since the last audit; +Inf before the first audit"
})

export const auditFault = gauge("venue_audit_fault", {
  nodes: ["runner", "gateway", "auditor"],
  help: "1 if the last audit found a fault in the books, else 0"
})

export const auditSeconds = histogram("venue_audit_seconds", {
  nodes: ["auditor"],
  help: "Duration of an audit",
  boundaries: slow
})

export const railDifference = gauge("venue_rail_difference_usd", {
  labels: ["rail"],
  nodes: ["auditor"],
  help: "Amount that a rail holds minus the amount in the books; negative if money is missing"
})

export const railDifferenceReports = gauge("venue_rail_difference_reports", {
  labels: ["rail"],
  nodes: ["auditor"],
  help: "Number of consecutive holdings reports of a rail that differed from the books"
})

export const railUncredited = gauge("venue_rail_uncredited_usd", {
  labels: ["rail"],
  nodes: ["auditor"],
  help: "Amount that has arrived on a rail and is not credited to any user"
})

export const uncovered = gauge("venue_uncovered_usd", {
  nodes: ["auditor"],
  help: "Credits and reserve-fund top-ups by operators, which no rail's holdings cover"
})

export const railUnavailable = gauge("venue_rail_unavailable_seconds", {
  labels: ["rail"],
  nodes: ["auditor"],
  help: "Time for which a rail has been unavailable; 0 while the rail is available"
})

export const railScanAge = gauge("venue_rail_scan_age_seconds", {
  labels: ["rail"],
  nodes: ["auditor"],
  help: "Time since a rail's last scan for deposits"
})

export const railBlock = gauge("venue_rail_block", {
  labels: ["rail", "block"],
  nodes: ["runner"],
  help: "Number of the `newest` block of a chain and of the last block `read` for deposits"
})

export const railEndpoints = gauge("venue_rail_endpoints", {
  labels: ["rail", "state"],
  nodes: ["runner"],
  help: "Configured endpoints of a chain by the result of their last request: `answering` or `failing`"
})

export const hotMoney = gauge("venue_hot_account_usd", {
  labels: ["rail"],
  nodes: ["runner"],
  help: "Money on the account that pays withdrawals"
})

export const hotGas = gauge("venue_hot_account_gas", {
  labels: ["rail"],
  nodes: ["runner"],
  help: "Native currency on the account that pays withdrawals, in ETH; not read on TRON"
})

export const withdrawals = gauge("venue_withdrawals", {
  labels: ["rail", "state"],
  nodes: ["auditor"],
  help: "Withdrawals that have not ended, by state; `UNSIGNED` counts payments that the signer refused"
})

export const withdrawalAge = gauge("venue_withdrawal_oldest_seconds", {
  labels: ["rail", "state"],
  nodes: ["auditor"],
  help: "Time for which the oldest withdrawal has been in a state"
})

export const walletPaid = gauge("venue_wallet_paid_today_usd", {
  nodes: ["wallet"],
  help: "Total of the payments that the wallet has allowed in this UTC day"
})

export const walletLimit = gauge("venue_wallet_day_limit_usd", {
  nodes: ["wallet"],
  help: "Maximum total of the payments in a UTC day"
})

export const walletRefusals = counter("venue_wallet_refusals_total", {
  nodes: ["wallet"],
  help: "Signing orders that the wallet's policy has refused"
})

export const webhooks = gauge("venue_webhooks", {
  labels: ["state"],
  nodes: ["auditor"],
  help: "Webhook messages that are `waiting`, and endpoints that are `disabled` after failures or by a user"
})
