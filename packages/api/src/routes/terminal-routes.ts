import type { Route } from '../route.ts';
import { SessionIdParams } from '../schemas/history.ts';
import { SessionSchema } from '../schemas/session.ts';
import {
  OpenTerminalSchema,
  ScreenSchema,
  TerminalInputSchema,
  TerminalMessageSchema,
  TerminalQuerySchema,
  ViewerClaimSchema,
  ViewerSizeSchema,
} from '../schemas/terminal.ts';
import { json, none } from './replies.ts';

const done = none(204, 'Delivered.');

/** The agent's terminal, hosted by a separate process: many viewers, one of them has the keyboard. */
export const TERMINAL_ROUTES = {
  openTerminal: {
    method: 'post',
    path: '/api/v1/sessions/{id}/terminal',
    summary: "Open the agent's own terminal UI for a session without a process",
    tag: 'terminals',
    params: SessionIdParams,
    body: OpenTerminalSchema,
    reply: json(SessionSchema, 'The session.', 201),
  },
  getTerminal: {
    method: 'get',
    path: '/api/v1/sessions/{id}/terminal',
    summary: 'Get the screen, or a stream that starts with it',
    tag: 'terminals',
    params: SessionIdParams,
    query: TerminalQuerySchema,
    reply: json(ScreenSchema, 'The current screen, or the last one if the program has exited.'),
    stream: TerminalMessageSchema,
  },
  writeTerminal: {
    method: 'post',
    path: '/api/v1/sessions/{id}/terminal/input',
    summary: 'Write input; the first writer has the keyboard until it leaves',
    tag: 'terminals',
    params: SessionIdParams,
    body: TerminalInputSchema,
    reply: done,
  },
  resizeTerminal: {
    method: 'post',
    path: '/api/v1/sessions/{id}/terminal/resize',
    summary: 'Resize a viewer; the size of the viewer with the keyboard applies',
    tag: 'terminals',
    params: SessionIdParams,
    body: ViewerSizeSchema,
    reply: done,
  },
  claimTerminal: {
    method: 'post',
    path: '/api/v1/sessions/{id}/terminal/claim',
    summary: 'Take the keyboard from any other viewer',
    tag: 'terminals',
    params: SessionIdParams,
    body: ViewerClaimSchema,
    reply: done,
  },
} satisfies Record<string, Route>;
