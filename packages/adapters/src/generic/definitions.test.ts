import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adaptersFromDefinitions } from './definitions.ts';
import { GENERIC_PROFILES } from './profiles.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'agent-mux-definitions-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function load(config: string) {
  const folder = join(home, 'agent-mux');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), config);
  const loaded = loadConfig({ cwd: home, env: { HOME: home, XDG_CONFIG_HOME: home } });
  expect(loaded.issues).toEqual([]);
  return adaptersFromDefinitions(loaded.definitions, GENERIC_PROFILES);
}

const agents = (...definitions: object[]) => load(JSON.stringify({ agents: definitions }, null, 2));

describe('agent definitions', () => {
  it('become adapters, with all fields or only the required ones', () => {
    const { adapters, issues } = agents(
      {
        id: 'my-agent',
        name: 'My CLI Agent',
        profile: 'generic-cli',
        cli: { command: 'chat', args: ['-i'], work_dir: '/srv', env: { A: 'b' }, spawn_policy: 'persistent' },
      },
      { id: 'batch', profile: 'generic-job', job: { command: 'batch', max_runtime: '1h30m' } },
      { id: 'proxy', profile: 'generic-http', http: { base_url: 'https://api.example.com/v1/chat' } },
      { id: 'custom', profile: 'external', external: { command: 'adapter' } },
    );
    expect(issues).toEqual([]);
    expect(adapters.map(({ agent, displayName, cliCommand }) => [agent, displayName, cliCommand])).toEqual([
      ['my-agent', 'My CLI Agent', 'chat'],
      ['batch', 'batch', 'batch'],
      ['proxy', 'proxy', 'https://api.example.com/v1/chat'],
      ['custom', 'custom', 'adapter'],
    ]);
  });

  it('declare the capabilities of each profile', () => {
    const { adapters } = agents(
      { id: 'a', profile: 'generic-cli', cli: { command: 'x' } },
      { id: 'b', profile: 'generic-job', job: { command: 'x' } },
      { id: 'c', profile: 'generic-http', http: { base_url: 'http://localhost' } },
      { id: 'd', profile: 'external', external: { command: 'x' } },
    );
    const table = adapters.map(({ capabilities: c }) => [
      c.nativeSessionIds,
      c.turnCompletion,
      c.resumeAttach,
      c.execModel,
    ]);
    expect(table).toEqual([
      [false, false, false, 'interactive'],
      [false, true, false, 'run-to-completion'],
      [false, true, false, 'request-response'],
      [false, true, false, 'interactive'],
    ]);
  });

  it('report errors with file, line, column and field, and load the valid ones', () => {
    const { adapters, issues } = load(`{
  "agents": [
    { "id": "good", "profile": "external", "external": { "command": "x" } },
    {
      "id": "bad",
      "profile": "generic-job",
      "job": {
        "max_runtime": "soon",
        "unknown": "red"
      }
    },
    { "id": "odd", "profile": "generic-cli", "job": { "command": "x" } }
  ]
}`);
    expect(adapters.map(({ agent }) => agent)).toEqual(['good']);
    const file = join(home, 'agent-mux', 'config.json');
    expect(issues).toEqual([
      { file, line: 7, column: 7, field: 'agents[1].job.command', problem: 'is required' },
      expect.objectContaining({ line: 8, column: 9, field: 'agents[1].job.max_runtime' }),
      expect.objectContaining({
        line: 9,
        column: 9,
        field: 'agents[1].job.unknown',
        problem: 'is not a field of this profile; there are: command, args, work_dir, env, system_prompt, max_runtime',
      }),
      expect.objectContaining({ line: 12, field: 'agents[2].job', problem: expect.stringContaining('under "cli"') }),
      expect.objectContaining({ line: 12, field: 'agents[2].cli.command', problem: 'is required' }),
    ]);
  });

  it.each([
    [{ profile: 'magic' }, 'profile', /"magic" is unknown; there are: generic-cli, generic-job/],
    [{}, 'profile', /is required; there are/],
    [{ profile: 'external', name: 7, external: { command: 'x' } }, 'name', /must be a string/],
    [{ profile: 'external', external: { command: 7 } }, 'external.command', /expected string/],
    [{ profile: 'external', external: 'x' }, 'external', /expected object/],
    [{ profile: 'generic-cli', cli: { command: 'x', spawn_policy: 'often' } }, 'cli.spawn_policy', /per-session/],
    [{ profile: 'generic-cli', cli: { command: 'x', env: { A: 1 } } }, 'cli.env.A', /expected string/],
    [{ profile: 'generic-http', http: { base_url: 'ftp://x' } }, 'http.base_url', /http or https/],
    [{ profile: 'generic-http', http: { base_url: 'http://x', method: 'DELETE' } }, 'http.method', /POST/],
    [{ profile: 'generic-http', http: { base_url: 'http://x', timeout: '5' } }, 'http.timeout', /duration/],
    [{ profile: 'generic-http', http: { base_url: 'http://x', headers: { 'a b': 'c' } } }, 'http.headers.a b', /./],
  ])('report the field of %j', (definition, field, problem) => {
    const { adapters, issues } = agents({ id: 'a', ...definition });
    expect(adapters).toEqual([]);
    expect(issues).toHaveLength(1);
    expect(issues[0]?.field).toBe(`agents[0].${field}`);
    expect(issues[0]?.problem).toMatch(problem);
  });
});
