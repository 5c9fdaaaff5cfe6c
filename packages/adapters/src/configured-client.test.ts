import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createResolvedOptions } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { newUser, openClient, recorder } from '../test/configured.ts';
import { eventsOf, script, typed } from '../test/engine.ts';

const LIMIT = { timeout: 30_000 };
const SAYS_WHERE = script('console.log(process.cwd(), process.env.WORD)');

describe('agent of a configuration file', () => {
  it('works in its own folder, unless the run or its profile names another', LIMIT, async () => {
    const user = newUser([{ id: 'job', profile: 'generic-job', job: { ...SAYS_WHERE, work_dir: '~/own' } }]);
    mkdirSync(join(user.home, 'own'));
    const client = openClient(user);
    const where = async (cwd?: string) => {
      const { text } = await client.run({ agent: 'job', prompt: 'go', ...(cwd === undefined ? {} : { cwd }) });
      return text.split(' ')[0];
    };
    expect(await where()).toBe(join(user.home, 'own'));
    expect(await where(user.cwd)).toBe(user.cwd);
  });

  it('reads variables from the environment of the client', LIMIT, async () => {
    const job = { ...SAYS_WHERE, env: { WORD: '$' + '{env:ONLY_HERE}' } };
    const user = newUser([{ id: 'job', profile: 'generic-job', job }], { ONLY_HERE: 'secret word' });
    expect((await openClient(user).run({ agent: 'job', prompt: 'go', cwd: user.cwd })).text).toContain('secret word');
    const { ONLY_HERE: _, ...env } = user.env;
    await expect(async () => openClient({ ...user, env }).run({ agent: 'job', prompt: 'go' })).rejects.toThrow(
      /ONLY_HERE is not set/,
    );
  });

  it('resolves a relative command from the file that names it, for every profile', LIMIT, async () => {
    const user = newUser([
      { id: 'job', profile: 'generic-job', job: { command: './bin/tool', work_dir: '/' } },
      { id: 'cli', profile: 'generic-cli', cli: { command: 'bin/tool' } },
      {
        id: 'copilot',
        profile: 'github-copilot',
        copilot: { command: './bin/tool', mode: 'json', approval_mode: 'deny' },
      },
      { id: 'bare', profile: 'generic-job', job: { command: 'tool' } },
    ]);
    const record = join(user.home, 'record');
    recorder(join(user.configFolder, 'bin', 'tool'), record, "console.log('here');");
    const client = openClient(user);
    for (const agent of ['job', 'cli']) {
      expect((await client.run({ agent, prompt: 'go', cwd: user.cwd })).text).toBe('here\n');
    }
    expect((await client.adapters.detect('copilot'))?.cliPath).toBe(join(user.configFolder, 'bin', 'tool'));
    expect((await client.adapters.detect('bare'))?.installed).toBe(false);
  });

  it('puts a system prompt of the definition or the run at the start of the first prompt', LIMIT, async () => {
    const echo = script("process.stdin.on('data', (data) => process.stdout.write(data))");
    const user = newUser([
      { id: 'job', profile: 'generic-job', job: { ...echo, system_prompt: 'Be brief.' } },
      { id: 'cli', profile: 'generic-cli', cli: echo },
    ]);
    const client = openClient(user);
    const marked = (system: string) => `<system-instructions>\n${system}\n</system-instructions>\n\ngo\n`;
    const say = async (agent: string, systemPrompt?: string) =>
      (await client.run({ agent, prompt: 'go', cwd: user.cwd, ...(systemPrompt ? { systemPrompt } : {}) })).text;
    expect(await say('job')).toBe(marked('Be brief.'));
    expect(await say('job', 'Be long.')).toBe(marked('Be long.'));
    expect(await say('cli', 'Be long.')).toBe(marked('Be long.'));
    expect(await say('cli')).toBe('go\n');
  });

  it(
    'reports an invalid definition with its position, even if it has the name of a built-in agent',
    LIMIT,
    async () => {
      const user = newUser([
        { id: 'good', profile: 'generic-job', job: SAYS_WHERE },
        { id: 'bad', profile: 'generic-job', job: { comand: 'x' } },
        { id: 'claude', profile: 'claude-code', claude_code: { permission_mod: 'plan' } },
        { id: 'mistyped', profile: 'generic-jop' },
        { id: 'modeless', profile: 'codex', codex: { mode: 'appserver' } },
      ]);
      const client = openClient(user);
      const refusal = (agent: string) => {
        try {
          client.run({ agent, prompt: 'go' });
        } catch (error) {
          return error;
        }
        throw new Error(`${agent} runs`);
      };
      const file = join(user.configFolder, 'config.json');
      expect(refusal('bad')).toMatchObject({
        code: 'CONFIG_ERROR',
        message: expect.stringMatching(/definition of agent "bad" is invalid: line \d+:\d+: agents\[1\]\.job.*comand/),
        hint: expect.stringContaining(file),
      });
      expect(refusal('claude')).toMatchObject({ message: expect.stringContaining('permission_mod is not a field') });
      expect(refusal('mistyped')).toMatchObject({ message: expect.stringContaining('did you mean generic-job') });
      expect(refusal('modeless')).toMatchObject({ message: expect.stringContaining('"app-server"') });
      expect(refusal('no-such-agent')).toMatchObject({ code: 'UNKNOWN_AGENT' });
      await expect(client.health('bad')).rejects.toMatchObject({ code: 'CONFIG_ERROR' });
      expect((await client.run({ agent: 'good', prompt: 'go', cwd: user.cwd })).exitReason).toBe('completed');
    },
  );
});

describe('known agent of a configuration file', () => {
  const filled = (definition: object, options: Parameters<typeof createResolvedOptions>[0] = {}) => {
    const client = openClient(newUser([{ id: 'mine', ...definition }]));
    return client.adapters.get('mine').applyDefaults!(createResolvedOptions({ agent: 'mine', ...options }));
  };
  const copilot = (fields: object) => ({ profile: 'github-copilot', copilot: fields });
  const codex = (fields: object) => ({ profile: 'codex', codex: fields });

  it('sets its mode and permissions, with agent-mux or native values', () => {
    expect(filled(copilot({ mode: 'json', approval_mode: 'yolo' }))).toMatchObject({
      mode: 'json',
      approvalMode: 'yolo',
    });
    expect(filled(copilot({ approval_mode: 'autopilot' }))).toMatchObject({ nativePermissionMode: 'autopilot' });
    expect(filled(codex({ approval_mode: 'plan' }))).toMatchObject({ approvalMode: 'plan' });
    expect(filled(codex({ approval_mode: 'never' }))).toMatchObject({ nativePermissionMode: 'never/workspace-write' });
    const claude = { profile: 'claude-code', claude_code: { mode: 'oneshot', approval_mode: 'accept-edits' } };
    expect(filled(claude)).toMatchObject({ mode: 'oneshot', approvalMode: 'accept-edits' });
  });

  it('lets run options win', () => {
    const given = { mode: 'acp', approvalMode: 'prompt' } as const;
    const { nativePermissionMode, ...options } = filled(copilot({ mode: 'json', approval_mode: 'yolo' }), given);
    expect(options).toMatchObject(given);
    expect(nativePermissionMode).toBeUndefined();
  });

  it('runs Copilot in json mode for lists of tools and denies everything else', () => {
    const lists = { allowed_tools: ['write'], denied_tools: ['shell'] };
    expect(filled(copilot(lists))).toMatchObject({ mode: 'json', approvalMode: 'deny', allowedTools: ['write'] });
    expect(filled(copilot({ ...lists, approval_mode: 'yolo' }))).toMatchObject({ mode: 'json', approvalMode: 'yolo' });
    expect(filled(copilot(lists), { deniedTools: ['url'] })).toMatchObject({ deniedTools: ['shell', 'url'] });
    expect(filled(copilot({}), {})).not.toMatchObject({ mode: 'json' });
  });

  it('rejects contradicting fields', () => {
    const issues = (definition: object) =>
      openClient(newUser([{ id: 'mine', ...definition }])).configIssues.map(
        ({ field, problem }) => `${field} ${problem}`,
      );
    const both = { permission_mode: 'plan', approval_mode: 'yolo' };
    expect(issues({ profile: 'claude-code', claude_code: both })).toMatchObject([/approval_mode says the same as/]);
    expect(issues(codex({ approval_mode: 'plan', sandbox_mode: 'read-only' }))).toMatchObject([/sandbox_mode cannot/]);
    expect(issues(codex({ approval_mode: 'sometimes' }))).toHaveLength(1);
  });
});

describe('run of a configured agent', () => {
  it('reports the mode that the definition set', LIMIT, async () => {
    const user = newUser([{ id: 'copilot', profile: 'github-copilot', copilot: { denied_tools: ['shell'] } }]);
    recorder(join(user.home, 'bin', 'copilot'), join(user.home, 'record'), '');
    const client = openClient({ ...user, env: { ...user.env, PATH: join(user.home, 'bin') } });
    writeFileSync(join(user.cwd, 'x'), '');
    const handle = client.run({ agent: 'copilot', prompt: 'go', cwd: user.cwd });
    expect(handle.mode).toBe('json');
    expect(typed(await eventsOf(handle), 'session_end')).toHaveLength(1);
  });
});
