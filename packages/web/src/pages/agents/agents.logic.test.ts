import type { Agent } from '@agent-mux/api/browser';
import { expect, test } from 'vitest';
import {
  addLines,
  capabilityRows,
  capabilityText,
  evidenceText,
  installedText,
  labelOf,
  lastVerified,
  loginText,
  orderAgents,
  verifiedText,
} from './agents.logic.ts';

const agent = (options: Partial<Agent>): Agent => ({
  agent: 'a',
  displayName: 'A',
  source: 'built-in',
  installed: true,
  needsNoInstall: false,
  cliPath: '/bin/a',
  version: '1.2.3',
  minVersion: '1.0.0',
  meetsMinVersion: true,
  authState: 'authenticated',
  activeModel: null,
  evidence: null,
  verifiedVersions: [],
  defaultMode: 'live',
  modes: ['live'],
  ...options,
});

test('warns about outdated and broken agents but not about missing ones', () => {
  expect(installedText(agent({}))).toEqual({ text: '1.2.3', tone: 'good' });
  expect(installedText(agent({ meetsMinVersion: false, minVersion: '2.0.0' })).text).toBe('1.2.3, needs 2.0.0');
  expect(installedText(agent({ problem: 'exit code 1' }))).toEqual({
    text: 'does not start: exit code 1',
    tone: 'wait',
  });
  expect(installedText(agent({ installed: false })).tone).toBe('plain');
  expect(loginText(agent({ installed: false, authState: 'unauthenticated' })).text).toBe('');
});

test('orders agents: ready, needs login, not installed', () => {
  const agents = [
    agent({ agent: 'c', displayName: 'C', installed: false }),
    agent({ agent: 'b', displayName: 'B', authState: 'expired' }),
    agent({ agent: 'z', displayName: 'Z' }),
  ];
  expect(orderAgents(agents).map((each) => each.agent)).toEqual(['z', 'b', 'c']);
});

test('describes the evidence of an adapter', () => {
  expect(evidenceText({ evidence: 'verified', verifiedVersions: ['1.0', '1.1'] })).toBe('verified with 1.0, 1.1');
  expect(evidenceText({ evidence: 'documented', verifiedVersions: [] })).toContain('not tested with');
  expect(evidenceText({ evidence: null, verifiedVersions: [] })).toBe('unknown');
});

test('has one row per capability with one value per mode', () => {
  const modes = [
    {
      name: 'live',
      promptDelivery: 'protocol' as const,
      limitations: [],
      capabilities: { canResume: true, thinkingEfforts: ['low', 'high'], contextWindow: 200_000 },
    },
    {
      name: 'exec',
      promptDelivery: 'stdin' as const,
      limitations: [],
      capabilities: { canResume: false, approvalModes: { prompt: 'native', yolo: 'flag' } },
    },
  ];
  expect(capabilityRows({ modes }).map(({ label, values }) => [label, ...values])).toEqual([
    ['resume', 'yes', 'no'],
    ['thinking efforts', 'low, high', 'no'],
    ['context window', '200k', 'no'],
    ['approval modes', 'no', 'prompt, yolo (flag)'],
    ['prompt delivery', 'protocol', 'stdin'],
  ]);
  expect([labelOf('supportsMCP'), labelOf('requiresPty')]).toEqual(['MCP', 'requires a terminal']);
  expect(capabilityText([])).toBe('no');
});

test('appends job output and drops the oldest lines', () => {
  expect(addLines(['a', 'b'], ['c', 'd'], 3)).toEqual(['b', 'c', 'd']);
  const same = ['a'];
  expect(addLines(same, [])).toBe(same);
});

test('summarizes a verification with counts, version and completeness', () => {
  const result = (status: 'passed' | 'failed') => ({
    mode: 'live',
    case: 'x',
    title: 'it answers',
    status,
    durationMs: 1,
  });
  const job = {
    ...{ agent: 'a', action: 'verify' as const, state: 'completed' as const, caseCount: 2, version: '1.2.3' },
    results: [result('passed'), result('passed')],
  };
  expect(verifiedText(job, '1.2.3')).toEqual({ text: '2 of 2 passed', tone: 'good' });
  expect(verifiedText(job, '2.0.0')).toEqual({ text: '2 of 2 passed, with 1.2.3', tone: 'plain' });
  expect(verifiedText({ ...job, state: 'interrupted', results: [result('passed')] }, null)).toEqual({
    text: '1 of 2 passed, not finished',
    tone: 'wait',
  });
  expect(verifiedText({ ...job, state: 'failed', results: [result('passed'), result('failed')] }, null).text).toBe(
    '1 of 2 passed',
  );
  const other = { ...job, agent: 'b' };
  expect(lastVerified([{ ...job, results: [] }, other, job], 'a')).toBe(job);
});
