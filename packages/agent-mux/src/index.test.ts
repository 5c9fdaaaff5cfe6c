import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createClient } from './index.ts';

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

function place() {
  const home = mkdtempSync(join(tmpdir(), 'agent-mux-test-'));
  homes.push(home);
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  const { PATH } = process.env;
  return { cwd, env: { PATH, HOME: home, DEMO_SPEED: '0' }, home };
}

function write(file: string, config: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(config));
}

describe('createClient', () => {
  it('knows the built-in agents', async () => {
    const { cwd, env } = place();
    const client = createClient({ cwd, env });
    expect(client.adapters.list().map(({ agent }) => agent)).toEqual(expect.arrayContaining(['claude', 'demo']));
    const result = await client.run({ agent: 'demo', prompt: 'hello', cwd });
    expect(result).toMatchObject({ exitReason: 'completed', agent: 'demo' });
    await client.close();
  });

  it("loads the user's profiles and agents with their issues", async () => {
    const { cwd, env, home } = place();
    const cat = { id: 'cat', profile: 'generic-job', job: { command: 'cat' } };
    write(join(home, '.config', 'agent-mux', 'config.json'), {
      agents: [cat, { id: 'broken', profile: 'nonsense' }],
      profiles: { mini: { model: 'demo-mini' }, mine: { model: 'x' } },
    });
    const client = createClient({ cwd, env, profiles: { mine: { model: 'demo-1' } } });
    expect(client.configIssues).toMatchObject([{ field: 'agents[1].profile' }]);
    expect(await client.run({ agent: 'cat', prompt: 'meow', cwd })).toMatchObject({ text: 'meow\n' });
    expect(await client.run({ agent: 'demo', prompt: 'hi', cwd, profile: 'mini' })).toMatchObject({
      model: 'demo-mini',
    });
    expect(await client.run({ agent: 'demo', prompt: 'hi', cwd, profile: 'mine' })).toMatchObject({ model: 'demo-1' });
    await client.close();
  });

  it("rejects a project's agents until they are trusted", async () => {
    const { cwd, env } = place();
    const cat = { id: 'cat', profile: 'generic-job', job: { command: 'cat' } };
    const claude = { id: 'claude', profile: 'generic-job', job: { command: 'cat' } };
    write(join(cwd, '.agent-mux', 'config.json'), { agents: [cat, claude] });
    const careful = createClient({ cwd, env });
    expect(() => careful.run({ agent: 'cat', prompt: 'meow', cwd })).toThrow(/untrusted project file/);
    expect(careful.adapters.get('claude').displayName).toBe('Claude Code');
    const trusting = createClient({ cwd, env, trustProject: true });
    expect(await trusting.run({ agent: 'cat', prompt: 'meow', cwd })).toMatchObject({ text: 'meow\n' });
    await Promise.all([careful.close(), trusting.close()]);
  });
});
