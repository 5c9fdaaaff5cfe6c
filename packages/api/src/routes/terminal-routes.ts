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

const done = none(204, 'It was passed on.');

/** The agent's own screen, held by a process of its own: many watch it, one of them has the keyboard. */
export const TERMINAL_ROUTES = {
  openTerminal: {
    method: 'post',
    path: '/api/v1/sessions/{id}/terminal',
    summary: "Opens the agent's own screen for a session without a process",
    tag: 'terminals',
    params: SessionIdParams,
    body: OpenTerminalSchema,
    reply: json(SessionSchema, 'The session.', 201),
  },
  watchTerminal: {
    method: 'get',
    path: '/api/v1/sessions/{id}/terminal',
    summary: 'The screen: as it is, or a stream that begins with it',
    tag: 'terminals',
    params: SessionIdParams,
    query: TerminalQuerySchema,
    reply: json(ScreenSchema, 'As it is, or as it was when its program ended.'),
    stream: TerminalMessageSchema,
  },
  typeInTerminal: {
    method: 'post',
    path: '/api/v1/sessions/{id}/terminal/input',
    summary: 'Types; the first one who does has the keyboard until it leaves',
    tag: 'terminals',
    params: SessionIdParams,
    body: TerminalInputSchema,
    reply: done,
  },
  sizeTerminal: {
    method: 'post',
    path: '/api/v1/sessions/{id}/terminal/size',
    summary: 'How large a viewer is; that of the one with the keyboard counts',
    tag: 'terminals',
    params: SessionIdParams,
    body: ViewerSizeSchema,
    reply: done,
  },
  claimTerminal: {
    method: 'post',
    path: '/api/v1/sessions/{id}/terminal/claim',
    summary: 'Takes the keyboard, whoever has it',
    tag: 'terminals',
    params: SessionIdParams,
    body: ViewerClaimSchema,
    reply: done,
  },
} satisfies Record<string, Route>;
