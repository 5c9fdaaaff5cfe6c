import type { StdioLive } from '@agent-mux/core';
import { claudeStreamCodec } from '../claude-stream/index.ts';
import { CLAUDE_DIALECT } from './events.ts';
import { promptText } from './prompt.ts';

export const claudeCodec = claudeStreamCodec(CLAUDE_DIALECT, promptText);

/** The agent prints nothing before the first input, so the first turn does not wait for the session. */
export const CLAUDE_LIVE: StdioLive = {
  transport: 'stdio',
  codec: claudeCodec,
  waitForSession: false,
  answersHandshake: true,
};
