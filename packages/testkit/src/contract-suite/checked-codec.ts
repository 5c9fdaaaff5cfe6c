import type { LiveSpec } from '@agent-mux/core';
import { z } from 'zod';
import { assertRecord, describeValue, must } from './assert-returned.ts';
import { assertEventList, callMember } from './checked-decoder.ts';
import type { AnyCodec } from './subject.ts';

const HttpCallSchema = z.strictObject({
  tag: z.string(),
  method: z.string().min(1),
  path: z.string().startsWith('/'),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.unknown().optional(),
  response: z.enum(['whole', 'stream']).optional(),
  timeoutMs: z.number().nonnegative().optional(),
});

/** More messages and longer ones than any handshake or turn sends; attachments come on top. */
const MAX_MESSAGES = 1_000;
const LONGEST_MESSAGE = 5_000_000;

/** The codec of a mode, wrapped: throws if it returns anything that the driver cannot send, store or pass on. */
export function checkCodec({ transport, codec: given }: LiveSpec): AnyCodec {
  const codec: AnyCodec = given;
  const outgoing = (member: string, call: () => unknown): unknown[] => {
    const said = callMember(member, undefined, call);
    must(Array.isArray(said), () => `${member} must return a list of messages, and gave ${describeValue(said)}`);
    must(said.length <= MAX_MESSAGES, () => `${member} says ${said.length} messages at once`);
    for (const message of said) assertMessage(member, message, transport);
    return said;
  };
  const decoded = (member: string, message: unknown, call: () => unknown): ReturnType<AnyCodec['decode']> => {
    const said = callMember(member, message, call);
    assertRecord(said, member);
    const { events, replies } = said;
    must(Array.isArray(events), () => `${member} must return { events: [...] }, and gave ${describeValue(said)}`);
    assertEventList(events, member, lengthOf(message), said);
    return replies === undefined ? { events } : { events, replies: outgoing(member, () => replies) };
  };
  return {
    open(options, slot) {
      const state = callMember('open', undefined, () => codec.open(options, slot));
      assertRecord(state, 'open');
      return state;
    },
    handshake: (state) => outgoing('handshake', () => codec.handshake(state)),
    turn: (input, state) => outgoing('turn', () => codec.turn(input, state)),
    decode: (message, state, context) => decoded('decode', message, () => codec.decode(message, state, context)),
    resolve: (request, answer, state) => outgoing('resolve', () => codec.resolve(request, answer, state)),
    ...(codec.interrupt && { interrupt: (state) => outgoing('interrupt', () => codec.interrupt?.(state)) }),
    ...(codec.steer && { steer: (input, state) => outgoing('steer', () => codec.steer?.(input, state)) }),
    ...(codec.setModel && { setModel: (model, state) => outgoing('setModel', () => codec.setModel?.(model, state)) }),
    ...(codec.setApprovalMode && {
      setApprovalMode: (mode, state) => outgoing('setApprovalMode', () => codec.setApprovalMode?.(mode, state)),
    }),
    ...(codec.close && { close: (state) => outgoing('close', () => codec.close?.(state)) }),
    ...(codec.idleMs && {
      idleMs(state) {
        const ms: unknown = callMember('idleMs', undefined, () => codec.idleMs?.(state));
        must(ms === undefined || (typeof ms === 'number' && ms >= 0), () => `quietMs gave ${describeValue(ms)}`);
        return ms;
      },
    }),
    ...(codec.onIdle && { onIdle: (state, over) => decoded('onIdle', undefined, () => codec.onIdle?.(state, over)) }),
  };
}

function assertMessage(member: string, message: unknown, transport: LiveSpec['transport']): void {
  if (transport === 'stdio') {
    must(
      typeof message === 'string',
      () => `${member} must say strings, one for each message, and said ${describeValue(message)}`,
    );
    must(message.length <= LONGEST_MESSAGE, () => `${member} says a message of ${message.length} characters`);
    return;
  }
  const parsed = HttpCallSchema.safeParse(message);
  must(
    parsed.success,
    () => `${member}: ${parsed.error && z.prettifyError(parsed.error)}\nin ${describeValue(message)}`,
  );
}

function lengthOf(message: unknown): number {
  return typeof message === 'string' ? message.length : (JSON.stringify(message) ?? '').length;
}
