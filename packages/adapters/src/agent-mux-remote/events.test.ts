import { createResolvedOptions } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { parseRemoteLine } from './events.ts';
import { launchRemote } from './launch.ts';

const ENVELOPE = { agent: 'codex', runId: 'r', turnIndex: 0, seq: 7, timestamp: 1 };
const heard = (event: object) => parseRemoteLine(JSON.stringify({ ...ENVELOPE, ...event }));

describe('events of an older amux', () => {
  const ask = { type: 'approval_request', requestId: 'q', toolName: 'x', title: 'x', options: [] };

  it('accepts the old names of tool kinds', () => {
    expect(heard({ ...ask, kind: 'network' })).toMatchObject({ kind: 'fetch' });
    expect(heard({ ...ask, kind: 'mode' })).toMatchObject({ kind: 'other' });
    expect(heard({ ...ask, kind: 'execute' })).toMatchObject({ kind: 'execute' });
  });

  it('accepts events without a kind, which the engine adds', () => {
    expect(heard(ask)).toMatchObject({ type: 'approval_request' });
    expect(heard({ type: 'tool_call_start', toolCallId: 't', toolName: 'x' })).toMatchObject({ toolCallId: 't' });
  });

  it('rejects an unknown kind', () => {
    expect(heard({ ...ask, kind: 'teleport' })).toBeNull();
  });
});

describe('launch of another amux', () => {
  it('requests raw and undecoded lines if they are wanted', () => {
    const argsOf = (options: Parameters<typeof createResolvedOptions>[0]) =>
      launchRemote(createResolvedOptions({ approvalMode: 'yolo', ...options })).args;
    expect(argsOf({ includeRaw: true, debug: true })).toEqual(expect.arrayContaining(['--raw', '--debug']));
    expect(argsOf({}).filter((arg) => arg === '--raw' || arg === '--debug')).toEqual([]);
  });
});
