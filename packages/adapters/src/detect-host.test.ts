import { createClient } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { builtInAdapters } from './catalog.ts';

const hostOf = (env: Record<string, string>) =>
  createClient({ adapters: builtInAdapters(), env, runIndex: false }).detectHost()?.agent;

describe('detectHost', () => {
  it.each([
    ['omp', { OMPCODE: '1', CLAUDECODE: '1' }],
    ['claude', { CLAUDECODE: '1' }],
    ['claude', { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'x', OPENCODE: '1' }],
    ['claude', { OMPCODE: '1', CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'x', AI_AGENT: 'claude-code_2-1-325_agent' }],
    ['pi', { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'x', CLAUDE_PID: '1', PI_CODING_AGENT: 'true', AI_AGENT: 'pi' }],
    ['crush', { PI_CODING_AGENT: 'true', PI_SESSION_ID: 'x', CRUSH: '1', AI_AGENT: 'crush' }],
    ['opencode', { OPENCODE: '1', AI_AGENT: 'pi' }],
    [undefined, { AI_AGENT: 'pi' }],
  ])('returns %s for %j', (agent, env) => {
    expect(hostOf(env)).toBe(agent);
  });
});
