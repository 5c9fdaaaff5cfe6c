import type { LiveCodec, SharedStdio } from '@agent-mux/core';
import { parseRecord, text } from '../../shared/json.ts';
import { decodeMessage } from './decode.ts';
import { encode } from './protocol.ts';
import { refuseOpen } from './requests.ts';
import { type ExternalState, openState, removeOpen } from './state.ts';

/** JSON lines that name their session, in both directions: docs/external-protocol.md. */
export const externalCodec: LiveCodec<ExternalState> = {
  open: openState,

  handshake: (state) => [encode(state.start)],

  turn(input, state) {
    state.failed = false;
    state.stopping = false;
    const files = input.attachments.map((file) =>
      encode({
        type: 'file.input',
        session_id: state.sessionId,
        file_name: file.name,
        file_mime_type: file.mimeType,
        file_path: file.path,
      }),
    );
    return [...files, encode({ type: 'user.input', session_id: state.sessionId, content: input.text })];
  },

  decode: decodeMessage,

  resolve(request, answer, state) {
    const to = { session_id: state.sessionId, request_id: request.requestId };
    // Not a denial: the turn is being stopped, or the run ends.
    const cancelled = answer.kind === 'cancelled' ? true : undefined;
    if (request.kind === 'approval') {
      if (!removeOpen(state.openPermissions, request.requestId)) return [];
      const options = answer.kind === 'approval' ? answer.answer : undefined;
      const message = options?.decision === 'deny' ? options.message : undefined;
      return [
        encode({ type: 'permission.response', ...to, approved: options?.decision === 'allow', message, cancelled }),
      ];
    }
    if (!removeOpen(state.openQuestions, request.requestId)) return [];
    const options = answer.kind === 'input' ? answer.answer : undefined;
    if (options && 'answers' in options) return [encode({ type: 'question.answer', ...to, answers: options.answers })];
    return [encode({ type: 'question.answer', ...to, declined: true, cancelled })];
  },

  interrupt(state) {
    state.stopping = true;
    return [encode({ type: 'stop', session_id: state.sessionId })];
  },

  close: (state) => [...refuseOpen(state), encode({ type: 'session.close', session_id: state.sessionId })],
};

/** Lines of one process belong to the session that they name; a line without one concerns all sessions. */
export const bySessionId: Pick<SharedStdio, 'channelOf' | 'route'> = {
  channelOf: (state: ExternalState) => state.sessionId,
  route: (line) => text(parseRecord(line)?.session_id),
};
