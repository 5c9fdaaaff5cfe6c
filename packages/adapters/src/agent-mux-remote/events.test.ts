import { makeResolvedOptions } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { parseRemoteLine } from './events.ts';
import { launchRemote } from './launch.ts';

const ENVELOPE = { agent: 'codex', runId: 'r', turnIndex: 0, seq: 7, timestamp: 1 };
const heard = (event: object) => parseRemoteLine(JSON.stringify({ ...ENVELOPE, ...event }));

describe('the events of an older amux', () => {
  const ask = { type: 'approval_request', requestId: 'q', toolName: 'x', title: 'x', options: [] };

  it('are understood with the words that kinds had', () => {
    expect(heard({ ...ask, kind: 'network' })).toMatchObject({ kind: 'fetch' });
    expect(heard({ ...ask, kind: 'mode' })).toMatchObject({ kind: 'other' });
    expect(heard({ ...ask, kind: 'execute' })).toMatchObject({ kind: 'execute' });
  });

  it('pass without a kind, which the engine adds', () => {
    expect(heard(ask)).toMatchObject({ type: 'approval_request' });
    expect(heard({ type: 'tool_call_start', toolCallId: 't', toolName: 'x' })).toMatchObject({ toolCallId: 't' });
  });

  it('do not pass with a kind that nobody knows', () => {
    expect(heard({ ...ask, kind: 'teleport' })).toBeNull();
  });
});

describe('the launch of another amux', () => {
  it('passes on that raw lines and undecoded ones are wanted', () => {
    const argsOf = (options: Parameters<typeof makeResolvedOptions>[0]) =>
      launchRemote(makeResolvedOptions({ approvalMode: 'yolo', ...options })).args;
    expect(argsOf({ includeRaw: true, debug: true })).toEqual(expect.arrayContaining(['--raw', '--debug']));
    expect(argsOf({}).filter((arg) => arg === '--raw' || arg === '--debug')).toEqual([]);
  });
});
