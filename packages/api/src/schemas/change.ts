import { z } from 'zod';
import { CursorSchema, IdSchema, LimitSchema, MessageIdSchema } from './common.ts';
import { MessageSchema } from './message.ts';
import { RequestSchema } from './request.ts';
import { SessionSchema } from './session.ts';

/** An event of a session, as `amux run --json` prints it; see `docs/reference/events.md`. */
export const SessionEventSchema = z
  .object({ type: z.string(), seq: z.int(), timestamp: z.number() })
  .loose()
  .describe('Further fields depend on the type.');

export const EventPageSchema = z.object({
  events: z.array(SessionEventSchema),
  lastSeq: z.int().min(-1).describe('Pass it as `after` to continue.'),
  hasMore: z.boolean(),
});

/** Maximum number of events per page; a page also ends when its text becomes long. */
export const MAX_EVENTS = 10_000;

export const EventQuerySchema = z.strictObject({
  after: z.coerce.number().int().min(-1).max(Number.MAX_SAFE_INTEGER).optional().describe('Default: from the start.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_EVENTS)
    .default(1000)
    .describe('Events per page; a stream is unlimited.'),
  until: z
    .enum(['end'])
    .optional()
    .describe('`end`: the stream ends when the launch has ended and everything was sent.'),
});

const changeOf = <Kind extends string, Value extends z.ZodType>(kind: Kind, id: z.ZodString, value: Value) =>
  z.object({ kind: z.literal(kind), id, rev: z.int(), value: value.nullable().describe('Null: removed.') });

export const ChangeSchema = z.discriminatedUnion('kind', [
  changeOf('session', IdSchema, SessionSchema),
  changeOf('request', IdSchema, RequestSchema),
  changeOf('message', MessageIdSchema, MessageSchema).extend({ sessionId: IdSchema }),
]);
export type Change = z.infer<typeof ChangeSchema>;

export const ChangePageSchema = z.object({
  changes: z.array(ChangeSchema),
  lastRev: z.int().describe('Pass it as `after` to continue.'),
  hasMore: z.boolean(),
});

export const ChangeQuerySchema = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('A revision. Default: 0, everything.'),
  limit: LimitSchema,
});

export const SessionPageSchema = z.object({ sessions: z.array(SessionSchema), nextCursor: CursorSchema });
export const MessageListSchema = z.object({ messages: z.array(MessageSchema) });
export const RequestPageSchema = z.object({ requests: z.array(RequestSchema), nextCursor: CursorSchema });

export const RequestQuerySchema = z.strictObject({
  state: z.enum(['open', 'answered', 'expired', 'cancelled']).optional(),
  sessionId: IdSchema.optional().describe('May be a unique prefix.'),
  cursor: z.string().max(200).optional(),
  limit: LimitSchema,
});

export const InboxSchema = z.object({
  requests: z.array(RequestSchema).describe('Open and not snoozed.'),
  limits: z.array(SessionSchema).describe('Sessions that wait for a limit to reset.'),
  failures: z.array(SessionSchema).describe('Sessions that ended, or whose last turn failed, with an error.'),
});
