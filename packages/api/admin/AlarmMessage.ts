/** Body of a message to an alarm webhook. */
import { Schema } from "effect"
import { Moment } from "../Body.ts"
import { instant } from "../Digits.ts"
import { Alarm } from "./Alarms.ts"

export const AlarmMessage = Schema.Struct({
  type: Schema.Literals(["alarm.raised", "alarm.repeated", "alarm.resolved"]).annotate({
    description: "Event: the alarm began, it still lasts, or it has ended."
  }),
  timestamp: Moment.annotate({ description: "Time of the event, ISO 8601 in UTC." }),
  data: Schema.Struct({
    ...Alarm.fields,
    first_at: Moment.annotate({ description: "Time at which the venue first saw the alarm, ISO 8601 in UTC." }),
    messages: Schema.Int.annotate({
      description: "Number of `alarm.raised` and `alarm.repeated` messages about this alarm so far."
    }),
    runbook: Schema.String.annotate({
      description:
        "Heading of the section in `docs/operate/runbook.md` that states what the alarm means and what to do."
    })
  }).annotate({ description: "The alarm, as `GET /alarms` lists it." })
}).annotate({ identifier: "AlarmMessage", description: "Message to an alarm webhook." })

const encode = Schema.encodeUnknownSync(Schema.fromJsonString(AlarmMessage))

/** Returns the JSON text of a message. `alarm` has the members of `Alarm`. */
export const alarmMessage = (
  type: (typeof AlarmMessage.Type)["type"],
  { alarm, firstAtMillis, pushes }: { readonly alarm: object; readonly firstAtMillis: number; readonly pushes: number },
  atMillis: number
): string =>
  encode({
    type,
    timestamp: instant(atMillis),
    data: {
      ...alarm,
      first_at: instant(firstAtMillis),
      messages: pushes,
      runbook: (alarm as Pick<typeof Alarm.Type, "kind">).kind
    }
  })
