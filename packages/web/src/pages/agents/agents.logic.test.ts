import type { Agent } from '@agent-mux/api/browser';
import { expect, test } from 'vitest';
import {
  addLines,
  capabilityRows,
  capabilityText,
  evidenceWords,
  installedWords,
  labelOf,
  lastVerified,
  loginWords,
  orderAgents,
  verifiedWords,
} from './agents.logic.ts';

const agent = (given: Partial<Agent>): Agent => ({
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
  provenVersions: [],
  defaultMode: 'live',
  modes: ['live'],
  ...given,
});

test('an agent that is too old or does not start says so, and what is missing is no warning', () => {
  expect(installedWords(agent({}))).toEqual({ text: '1.2.3', tone: 'good' });
  expect(installedWords(agent({ meetsMinVersion: false, minVersion: '2.0.0' })).text).toBe('1.2.3, needs 2.0.0');
  expect(installedWords(agent({ problem: 'exit code 1' }))).toEqual({
    text: 'does not start: exit code 1',
    tone: 'wait',
  });
  expect(installedWords(agent({ installed: false })).tone).toBe('plain');
  expect(loginWords(agent({ installed: false, authState: 'unauthenticated' })).text).toBe('');
});

test('what can be used at once comes first, then what needs a login, then what is not here', () => {
  const agents = [
    agent({ agent: 'c', displayName: 'C', installed: false }),
    agent({ agent: 'b', displayName: 'B', authState: 'expired' }),
    agent({ agent: 'z', displayName: 'Z' }),
  ];
  expect(orderAgents(agents).map((each) => each.agent)).toEqual(['z', 'b', 'c']);
});

test('the evidence of an adapter is told honestly', () => {
  expect(evidenceWords({ evidence: 'proven', provenVersions: ['1.0', '1.1'] })).toBe('proven with 1.0, 1.1');
  expect(evidenceWords({ evidence: 'documented', provenVersions: [] })).toContain('not run with');
  expect(evidenceWords({ evidence: null, provenVersions: [] })).toBe('nobody says');
});

test('capabilities have one row for each, with a value for each mode', () => {
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
    ['prompt is passed by', 'protocol', 'stdin'],
  ]);
  expect([labelOf('supportsMCP'), labelOf('requiresPty')]).toEqual(['MCP', 'requires a terminal']);
  expect(capabilityText([])).toBe('no');
});

test('lines of a job are added, and the oldest of very many are dropped', () => {
  expect(addLines(['a', 'b'], ['c', 'd'], 3)).toEqual(['b', 'c', 'd']);
  const same = ['a'];
  expect(addLines(same, [])).toBe(same);
});

test('what an agent was verified with is told with its numbers, its version and whether it was finished', () => {
  const proof = (status: 'passed' | 'failed') => ({
    mode: 'live',
    case: 'x',
    title: 'it answers',
    status,
    durationMs: 1,
  });
  const job = {
    ...{ agent: 'a', action: 'verify' as const, state: 'done' as const, cases: 2, version: '1.2.3' },
    proofs: [proof('passed'), proof('passed')],
  };
  expect(verifiedWords(job, '1.2.3')).toEqual({ text: '2 of 2 hold', tone: 'good' });
  expect(verifiedWords(job, '2.0.0')).toEqual({ text: '2 of 2 hold, with 1.2.3', tone: 'plain' });
  expect(verifiedWords({ ...job, state: 'lost', proofs: [proof('passed')] }, null)).toEqual({
    text: '1 of 2 hold, not finished',
    tone: 'wait',
  });
  expect(verifiedWords({ ...job, state: 'failed', proofs: [proof('passed'), proof('failed')] }, null).text).toBe(
    '1 of 2 hold',
  );
  const other = { ...job, agent: 'b' };
  expect(lastVerified([{ ...job, proofs: [] }, other, job], 'a')).toBe(job);
});
