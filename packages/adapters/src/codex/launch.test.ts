import type { ResolvedRunOptions } from '@agent-mux/core';
import { createResolvedOptions } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { appServerCodec } from './app-server/live.ts';
import { launchCodex } from './launch.ts';
import { codexProfile } from './profile.ts';

describe('launch of Codex', () => {
  const launch = (options: Partial<ResolvedRunOptions>) => launchCodex(createResolvedOptions(options));
  const thread = (options: Partial<ResolvedRunOptions>) =>
    appServerCodec().open(createResolvedOptions({ mode: 'app-server', ...options })).open;

  it('sends all settings to the app-server in the conversation', () => {
    expect(launch({ mode: 'app-server', prompt: 'secret' }).args).toEqual([
      'app-server',
      '-c',
      'features.unbounded_connection_retries=false',
    ]);
    const open = thread({
      model: 'm',
      approvalMode: 'plan',
      systemPrompt: 'S',
      mcpServers: { web: { type: 'http', url: 'http://localhost/mcp', headers: { 'X-A': 'b' } } },
      thinkingEffort: 'high',
      skills: ['/skills/one', '/skills/two/SKILL.md'],
    });
    expect(open).toMatchObject({ method: 'thread/start', skillRoots: ['/skills/one', '/skills/two'] });
    expect(open.params).toMatchObject({
      model: 'm',
      approvalPolicy: 'never',
      sandbox: 'read-only',
      developerInstructions: 'S',
      config: {
        'mcp_servers.web': { url: 'http://localhost/mcp', http_headers: { 'X-A': 'b' } },
        model_reasoning_effort: 'high',
      },
    });
  });

  it.each([
    ['prompt', 'untrusted', 'workspace-write'],
    ['accept-edits', 'untrusted', 'workspace-write'],
    ['plan', 'never', 'read-only'],
    ['deny', 'on-request', 'read-only'],
    ['yolo', 'never', 'danger-full-access'],
  ] as const)('maps %s to %s and %s', (approvalMode, approvalPolicy, sandbox) => {
    expect(thread({ approvalMode }).params).toMatchObject({ approvalPolicy, sandbox });
  });

  it('passes native values through', () => {
    const params = (nativePermissionMode: string) => thread({ nativePermissionMode }).params;
    expect(params('on-request/read-only')).toMatchObject({ approvalPolicy: 'on-request', sandbox: 'read-only' });
    expect(params('workspace-write')).toMatchObject({ sandbox: 'workspace-write' });
    expect(params('workspace-write')).not.toHaveProperty('approvalPolicy');
    expect(params('whatever')).toMatchObject({ approvalPolicy: 'whatever' });
  });

  it('gives exec its prompt on stdin and never lets it ask', () => {
    const { args, stdin, files } = launch({
      mode: 'exec',
      approvalMode: 'deny',
      prompt: '-p x',
      sessionId: '7d4a1c52-6f0b-4e3d-9b8a-2c5e1f7a6d90',
      outputSchema: { type: 'object' },
      scratchDir: '/scratch',
      attachments: [
        { path: '/pic,1.png', mimeType: 'image/png', name: 'pic' },
        { path: '/notes.txt', mimeType: 'text/plain', name: 'notes' },
      ],
      mcpServers: { calc: { command: 'node', args: ['a "b"'], env: { K: 'v' } } },
    });
    expect(args.slice(0, 3)).toEqual(['exec', 'resume', '7d4a1c52-6f0b-4e3d-9b8a-2c5e1f7a6d90']);
    expect(args.slice(-3)).toEqual(['--image=/pic,1.png', '--', '-']);
    expect(args).toContain('approval_policy="never"');
    expect(args).toContain('sandbox_mode="read-only"');
    expect(args).toContain('mcp_servers.calc={"command" = "node", "args" = ["a \\"b\\""], "env" = {"K" = "v"}}');
    expect(args.join(' ')).toContain('--output-schema=/scratch/output-schema.json');
    expect(stdin).toBe('-p x\n\n/notes.txt');
    expect(files).toEqual({ 'output-schema.json': '{"type":"object"}' });
  });

  it('becomes a separate agent by a definition, below the options of a run', () => {
    const config = { command: 'codex-beta', work_dir: '/project', env: { A: '1' }, model: 'gpt-5' };
    const modes = { approval_mode: 'on-request', sandbox_mode: 'workspace-write' };
    const defined = codexProfile.create('mine', 'Mine', codexProfile.schema.parse({ ...config, ...modes }));
    const filled = (options: Partial<ResolvedRunOptions>) =>
      defined.applyDefaults!(createResolvedOptions({ mode: 'app-server', ...options }));
    expect(defined.buildSpawnArgs(filled({ env: { B: '2' } }))).toMatchObject({
      command: 'codex-beta',
      cwd: '/project',
      env: { A: '1', B: '2' },
    });
    const facet = defined.modes?.[0]?.live;
    const opened = (options: Partial<ResolvedRunOptions>) => facet?.codec.open(filled(options));
    const own = { cwd: '/project', model: 'gpt-5', approvalPolicy: 'on-request', sandbox: 'workspace-write' };
    expect(opened({})).toMatchObject({ open: { params: own } });
    expect(opened({ model: 'm', approvalMode: 'plan' })).toMatchObject({
      open: { params: { model: 'm', approvalPolicy: 'never', sandbox: 'read-only' } },
    });
    expect(codexProfile.schema.safeParse({ approval_mode: 'always' }).success).toBe(false);
  });
});
