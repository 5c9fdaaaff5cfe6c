import { RunProfileSchema } from '@agent-mux/core/schemas';
import { describe, expect, it } from 'vitest';
import type { Given } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { flagOf, runFlags } from './flags.ts';
import { optionsOf } from './options.ts';

const given = (flags: Given['flags']): Given => ({ flags, words: [] });

describe('the flags of amux run', () => {
  it('are there for every run option', () => {
    const options = Object.keys(RunProfileSchema.shape);
    expect(options.filter((option) => flagOf(option) === undefined)).toEqual([]);
  });

  it('have letters of their own', () => {
    const letters = runFlags().flatMap(([, flag]) => flag.short ?? []);
    expect(new Set(letters).size).toBe(letters.length);
  });

  it('become run options', () => {
    expect(
      optionsOf(
        given({
          model: 'm',
          timeout: '1m30s',
          'inactivity-timeout': '0',
          'thinking-budget': '2000',
          'allow-tool': ['Read', 'Bash(git *)'],
          env: ['A=1', 'B=x=y'],
          'no-session': true,
          'mcp-config': '{"mcpServers":{"files":{"command":"mcp-files"}}}',
          attach: ['/tmp/picture.png'],
          retries: '2',
          'retry-policy': '{"initialDelayMs":5}',
          yolo: true,
        }),
      ),
    ).toEqual({
      model: 'm',
      timeout: 90_000,
      inactivityTimeout: 0,
      thinkingBudgetTokens: 2000,
      allowedTools: ['Read', 'Bash(git *)'],
      env: { A: '1', B: 'x=y' },
      noSession: true,
      mcpServers: { files: { command: 'mcp-files' } },
      attachments: [{ path: '/tmp/picture.png' }],
      retryPolicy: { maxRetries: 2, initialDelayMs: 5 },
      approvalMode: 'yolo',
    });
  });

  it('pass a variable of this environment on where --env has only its name', () => {
    process.env.OF_THIS_ENVIRONMENT = 'its value';
    try {
      expect(optionsOf(given({ env: ['OF_THIS_ENVIRONMENT'] }))).toEqual({ env: { OF_THIS_ENVIRONMENT: 'its value' } });
    } finally {
      delete process.env.OF_THIS_ENVIRONMENT;
    }
  });

  it.each([
    [{ timeout: '5' }, '--timeout: "5" is not a duration'],
    [{ 'max-turns': 'many' }, '--max-turns: "many" is not a number'],
    [{ 'max-turns': '0' }, '--max-turns: '],
    [{ 'output-schema': '{' }, '--output-schema: not valid JSON'],
    [{ 'output-schema': '@/nowhere.json' }, '--output-schema: ENOENT'],
    [{ invocation: '{"mode":"moon"}' }, '--invocation'],
    [{ env: ['NOT_SET_ANYWHERE'] }, '--env NOT_SET_ANYWHERE: not set here'],
    [{ yolo: true, 'approval-mode': 'deny' }, '--yolo contradicts --approval-mode deny'],
  ])('refuse %j by name', (flags, message) => {
    expect(() => optionsOf(given(flags))).toThrow(UsageError);
    expect(() => optionsOf(given(flags))).toThrow(message);
  });
});
