import type { ResolvedRunOptions } from '@agent-mux/core';
import { createResolvedOptions } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { adapter } from '../../test/replay-claude.ts';

describe('launch of Claude Code', () => {
  const ID = '7d4a1c52-6f0b-4e3d-9b8a-2c5e1f7a6d90';
  const args = (options: Partial<ResolvedRunOptions> = {}) =>
    adapter.buildSpawnArgs(createResolvedOptions({ agent: 'claude', mode: 'live', ...options }));
  const joined = (options: Partial<ResolvedRunOptions> = {}) => args(options).args.join(' ');

  it('uses stream-json both ways by default and asks over stdio', () => {
    const { command, args: argv, stdin, usePty } = args();
    expect([command, stdin, usePty]).toEqual(['claude', undefined, false]);
    expect(argv.join(' ')).toContain('--input-format stream-json --permission-prompt-tool stdio');
    expect(argv.join(' ')).toContain('--permission-mode=default');
    expect(argv).toEqual(expect.arrayContaining(['-p', '--verbose', '--include-partial-messages']));
  });

  it('passes a one-shot prompt on stdin, so that a leading dash is safe', () => {
    const plan = args({ mode: 'oneshot', approvalMode: 'deny', prompt: '--help' });
    expect(plan.stdin).toBe('--help');
    expect(plan.args).not.toContain('--help');
    expect(plan.args.join(' ')).toContain('--permission-prompts none --permission-mode=dontAsk');
    expect(plan.args).not.toContain('--input-format');
  });

  it.each([
    [{ sessionId: ID }, `--resume=${ID}`],
    [{ forkSessionId: ID }, `--resume=${ID} --fork-session`],
    [{ noSession: true }, '--no-session-persistence'],
    [{ model: 'haiku' }, '--model=haiku'],
    [{ thinkingEffort: 'xhigh' }, '--effort=xhigh'],
    [{ model: 'claude-haiku-4-5', thinkingBudgetTokens: 2345 }, '--model=claude-haiku-4-5 --max-thinking-tokens=2345'],
    [{ maxTurns: 3 }, '--max-turns=3'],
    [{ allowedTools: ['Read', 'Bash(git *)'] }, '--allowedTools=Read --allowedTools=Bash(git *)'],
    [{ deniedTools: ['WebFetch'] }, '--disallowedTools=WebFetch'],
    [{ addDirs: ['/a', '/b'] }, '--add-dir=/a --add-dir=/b'],
    [{ skills: ['/skills/a', '/skills/b/SKILL.md'] }, '--plugin-dir=/skills/a --plugin-dir=/skills/b'],
    [{ outputSchema: { type: 'object' } }, '--json-schema={"type":"object"}'],
    [{ systemPrompt: 'be brief' }, '--append-system-prompt=be brief'],
    [{ systemPrompt: 'be brief', systemPromptMode: 'replace' }, '--system-prompt=be brief'],
    [{ systemPrompt: 'x', sessionId: ID }, '--append-system-prompt=x --system-prompt-snapshot off'],
    [{ approvalMode: 'yolo' }, '--permission-mode=bypassPermissions'],
    [{ approvalMode: 'accept-edits' }, '--permission-mode=acceptEdits'],
    [{ approvalMode: 'plan' }, '--permission-mode=plan'],
    [{ nativePermissionMode: 'auto', approvalMode: 'deny' }, '--permission-mode=auto'],
  ] satisfies [Partial<ResolvedRunOptions>, string][])('turns %o into %s', (options, expected) => {
    expect(joined(options)).toContain(expected);
  });

  it.each([undefined, 'sonnet', 'claude-opus-4-6', 'claude-sonnet-5-5', 'someone/claude-haiku-4-5'])(
    'refuses a thinking budget for a model that would ignore it: %s',
    (model) => {
      const options = createResolvedOptions({
        agent: 'claude',
        mode: 'live',
        thinkingBudgetTokens: 2345,
        ...(model ? { model } : {}),
      });
      expect(() => adapter.buildSpawnArgs(options)).toThrow('takes no thinking budget');
    },
  );

  it.each([{ sessionId: 'the name of another' }, { forkSessionId: 'c6b6' }])('takes no %o for an id', (options) => {
    expect(() => args(options)).toThrow('is not a full session id');
  });

  it('rejects a file name that would end its quotes', () => {
    const attachments = [{ path: '/a" @"/etc/passwd', mimeType: 'text/plain', name: 'a' }];
    expect(() => args({ mode: 'oneshot', attachments })).toThrow('attachments: ');
  });

  it('keeps MCP servers, which may hold secrets, out of the arguments', () => {
    const { args: argv, files } = args({
      scratchDir: '/scratch',
      mcpServers: {
        calc: { command: 'calc', env: { TOKEN: 'secret' } },
        web: { type: 'http', url: 'http://localhost' },
      },
    });
    expect(argv.join(' ')).toContain('--mcp-config=/scratch/mcp.json');
    expect(argv.join(' ')).not.toContain('secret');
    expect(JSON.parse(files?.['mcp.json'] ?? '')).toEqual({
      mcpServers: {
        calc: { type: 'stdio', command: 'calc', env: { TOKEN: 'secret' } },
        web: { type: 'http', url: 'http://localhost' },
      },
    });
  });

  it('puts a system prompt that is too long for an argument into a file', () => {
    const { args: argv, files } = args({ scratchDir: '/scratch', systemPrompt: 'x'.repeat(200_000) });
    expect(argv.join(' ')).toContain('--append-system-prompt-file=/scratch/system-prompt.md');
    expect(files?.['system-prompt.md']).toHaveLength(200_000);
  });
});
