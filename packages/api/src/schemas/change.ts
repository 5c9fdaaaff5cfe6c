import { z } from 'zod';
import { CursorSchema, IdSchema, LimitSchema, MessageIdSchema } from './common.ts';
import { MessageSchema } from './message.ts';
import { RequestSchema } from './request.ts';
import { SessionSchema } from './session.ts';

/** An event of a session, as `amux run --json` prints it; `docs/reference/events.md` lists them all. */
export const SessionEventSchema = z
  .object({ type: z.string(), seq: z.int(), timestamp: z.number() })
  .loose()
  .describe('Further fields by its type.');

export const EventPageSchema = z.object({
  events: z.array(SessionEventSchema),
  last: z.int().min(-1).describe('To go on from.'),
  more: z.boolean(),
});

/** The most events of one page; a page is also cut where its text becomes long. */
export const MOST_EVENTS = 10_000;

export const EventQuerySchema = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .min(-1)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Default: from the beginning.'),
  limit: z.coerce.number().int().min(1).max(MOST_EVENTS).default(1000).describe('Of a page; a stream has no end.'),
  until: z.enum(['end']).optional().describe('`end`: the stream ends when the launch has ended and all was sent.'),
});

const changeOf = <Kind extends string, Value extends z.ZodType>(kind: Kind, id: z.ZodString, value: Value) =>
  z.object({ kind: z.literal(kind), id, rev: z.int(), value: value.nullable().describe('Null: it was removed.') });

export const ChangeSchema = z.discriminatedUnion('kind', [
  changeOf('session', IdSchema, SessionSchema),
  changeOf('request', IdSchema, RequestSchema),
  changeOf('message', MessageIdSchema, MessageSchema).extend({ sessionId: IdSchema }),
]);
export type Change = z.infer<typeof ChangeSchema>;

export const ChangePageSchema = z.object({
  changes: z.array(ChangeSchema),
  last: z.int().describe('To go on from.'),
  more: z.boolean(),
});

export const ChangeQuerySchema = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('A revision. Default: 0, all.'),
  limit: LimitSchema,
});

export const SessionPageSchema = z.object({ sessions: z.array(SessionSchema), cursor: CursorSchema });
export const MessageListSchema = z.object({ messages: z.array(MessageSchema) });
export const RequestPageSchema = z.object({ requests: z.array(RequestSchema), cursor: CursorSchema });

export const RequestQuerySchema = z.strictObject({
  state: z.enum(['open', 'answered', 'expired', 'cancelled']).optional(),
  session: IdSchema.optional().describe('May be shortened.'),
  cursor: z.string().max(200).optional(),
  limit: LimitSchema,
});

export const InboxSchema = z.object({
  requests: z.array(RequestSchema).describe('Open, and not put off.'),
  limits: z.array(SessionSchema).describe('Sessions that wait for a limit to pass.'),
  failures: z.array(SessionSchema).describe('Sessions that ended, or whose last turn failed, with an error.'),
});
