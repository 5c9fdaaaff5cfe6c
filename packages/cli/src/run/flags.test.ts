import { RunProfileSchema } from '@agent-mux/core/schemas';
import { describe, expect, it } from 'vitest';
import type { ParsedArgs } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { flagOf, runFlags } from './flags.ts';
import { optionsOf } from './options.ts';

const args = (flags: ParsedArgs['flags']): ParsedArgs => ({ flags, positionals: [] });

describe('flags of amux run', () => {
  it('cover every run option', () => {
    const options = Object.keys(RunProfileSchema.shape);
    expect(options.filter((option) => flagOf(option) === undefined)).toEqual([]);
  });

  it('have unique short flags', () => {
    const letters = runFlags().flatMap(([, flag]) => flag.short ?? []);
    expect(new Set(letters).size).toBe(letters.length);
  });

  it('are converted to run options', () => {
    expect(
      optionsOf(
        args({
          model: 'm',
          timeout: '1m30s',
          'inactivity-timeout': '0',
          'thinking-budget': '2000',
          'allow-tool': ['Read', 'Bash(git *)'],
          env: ['A=1', 'B=x=y'],
          'no-session': true,
          'mcp-config': '{"mcpServers":{"files":{"command":"mcp-files"}}}',
          attach: ['/tmp/image.png'],
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
      attachments: [{ path: '/tmp/image.png' }],
      retryPolicy: { maxRetries: 2, initialDelayMs: 5 },
      approvalMode: 'yolo',
    });
  });

  it('pass a variable of this environment when --env has only its name', () => {
    process.env.OF_THIS_ENVIRONMENT = 'its value';
    try {
      expect(optionsOf(args({ env: ['OF_THIS_ENVIRONMENT'] }))).toEqual({ env: { OF_THIS_ENVIRONMENT: 'its value' } });
    } finally {
      delete process.env.OF_THIS_ENVIRONMENT;
    }
  });

  it.each([
    [{ timeout: '5' }, '--timeout: invalid duration "5"'],
    [{ 'max-turns': 'many' }, '--max-turns: not a number: "many"'],
    [{ 'max-turns': '0' }, '--max-turns: '],
    [{ 'output-schema': '{' }, '--output-schema: not valid JSON'],
    [{ 'output-schema': '@/nowhere.json' }, '--output-schema: ENOENT'],
    [{ invocation: '{"mode":"moon"}' }, '--invocation'],
    [{ env: ['NOT_SET_ANYWHERE'] }, '--env NOT_SET_ANYWHERE: variable is not set'],
    [{ yolo: true, 'approval-mode': 'deny' }, '--yolo and --approval-mode deny are mutually exclusive'],
  ])('reject %j by flag name', (flags, message) => {
    expect(() => optionsOf(args(flags))).toThrow(UsageError);
    expect(() => optionsOf(args(flags))).toThrow(message);
  });
});
