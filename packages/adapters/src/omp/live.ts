import type { StdioLive } from '@agent-mux/core';
import { rpcCodec } from '../pi-family/index.ts';
import { OMP_DIALECT } from './events.ts';

export const ompCodec = rpcCodec(OMP_DIALECT);

/** `get_state` names the session before the first prompt. */
export const OMP_LIVE: StdioLive = { transport: 'stdio', codec: ompCodec, waitForSession: true };
