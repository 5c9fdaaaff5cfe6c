import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentMuxRemoteAdapter } from '@agent-mux/adapters';
import type { RunOptions } from '@agent-mux/core';
import { createResolvedOptions } from '@agent-mux/testkit';
import { afterAll, expect, it } from 'vitest';
import { run } from '../commands/run.ts';
import { parseFlags } from '../parse-flags.ts';
import { optionsOf } from './options.ts';

const scratchDir = mkdtempSync(join(tmpdir(), 'remote-flags-'));
afterAll(() => rmSync(scratchDir, { recursive: true, force: true }));

const RUN_OPTIONS = {
  model: 'a=b --c',
  thinkingEffort: 'high',
  thinkingBudgetTokens: 2000,
  thinkingOverride: { a: 1 },
  systemPrompt: '--be brief\n"now"',
  systemPromptMode: 'replace',
  outputSchema: { type: 'object' },
  sessionId: 'agent:main:s=1',
  maxTurns: 3,
  allowedTools: ['Read', 'Bash(git *)'],
  deniedTools: ['Bash(rm -x, y)'],
  addDirs: ['/a b'],
  skills: ['/skills/one'],
  mcpServers: { files: { command: 'mcp-files', env: { TOKEN: 'hidden' } } },
  inheritEnv: true,
  approvalMode: 'plan',
  runId: 'run-7',
} as const satisfies Partial<RunOptions>;

it('passes run options unchanged to a remote amux', async () => {
  const attachments = [{ path: '/images/a.png', mimeType: 'image/png', name: 'a.png' }];
  const options = createResolvedOptions({ ...RUN_OPTIONS, attachments, env: { MY_KEY: 'hidden' }, scratchDir });
  const { args, env, files = {}, stdin } = agentMuxRemoteAdapter.buildSpawnArgs(options);
  expect(args.join(' ')).not.toContain('hidden');
  expect(stdin).toBe(options.prompt);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(scratchDir, name), content);
  process.env.MY_KEY = env.MY_KEY;
  const there = optionsOf(await parseFlags('run', run, args.slice(1)));
  delete process.env.MY_KEY;
  expect(there).toEqual({ ...RUN_OPTIONS, attachments: [{ path: '/images/a.png' }], env: { MY_KEY: 'hidden' } });
});

it('rejects values that look like flags, as the local amux does', async () => {
  const options = createResolvedOptions({ model: '-m', deniedTools: ['-x'], scratchDir });
  const { args } = agentMuxRemoteAdapter.buildSpawnArgs(options);
  const flags = await parseFlags('run', run, args.slice(1));
  expect(() => optionsOf(flags)).toThrow(/--model: must not start with -.*--deny-tool\[0\]: must not start with -/);
});
