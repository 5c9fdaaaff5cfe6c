import type { StdioLive } from '@agent-mux/core';
import { rpcCodec } from '../pi-family/index.ts';
import { PI_DIALECT } from './events.ts';

export const piCodec = rpcCodec(PI_DIALECT);

/** `get_state` names the session before the first prompt. */
export const PI_LIVE: StdioLive = { transport: 'stdio', codec: piCodec, waitForSession: true };
