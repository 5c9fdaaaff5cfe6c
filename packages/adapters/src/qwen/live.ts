import type { StdioLive } from '@agent-mux/core';
import { claudeStreamCodec } from '../claude-stream/index.ts';
import { QWEN_DIALECT } from './events.ts';
import { namedFiles } from './prompt.ts';

export const qwenCodec = claudeStreamCodec(QWEN_DIALECT, namedFiles);

/** The session is printed with the first turn. */
export const QWEN_LIVE: StdioLive = {
  transport: 'stdio',
  codec: qwenCodec,
  waitForSession: false,
  answersHandshake: true,
};
