import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { buildChildEnv } from './child-env.ts';

const HOST = {
  PATH: '/bin',
  HOME: '/home/me',
  LC_ALL: 'C',
  XDG_CONFIG_HOME: '/x',
  https_proxy: 'http://127.0.0.1:1',
  NODE_EXTRA_CA_CERTS: '/ca.pem',
  GITHUB_TOKEN: 'g',
  ANTHROPIC_API_KEY: 'a',
  ANTHROPIC_BASE_URL: 'u',
  OPENAI_API_KEY: 'o',
  CLAUDECODE: '1',
  NODE_OPTIONS: '--inspect',
  AWS_SECRET_ACCESS_KEY: 's',
};
const SIGNALS = ['CLAUDECODE', 'ANTHROPIC_MARK'];

describe('buildChildEnv', () => {
  it('passes the base variables and those of the agent, and nothing else', () => {
    const env = buildChildEnv({
      hostEnv: HOST,
      envAllowList: ['ANTHROPIC_*'],
      allHostSignals: SIGNALS,
      platform: 'linux',
    });
    expect(env).toEqual({
      PATH: '/bin',
      HOME: '/home/me',
      LC_ALL: 'C',
      XDG_CONFIG_HOME: '/x',
      https_proxy: 'http://127.0.0.1:1',
      NODE_EXTRA_CA_CERTS: '/ca.pem',
      ANTHROPIC_API_KEY: 'a',
      ANTHROPIC_BASE_URL: 'u',
    });
  });

  it('hides keys of other agents and of the host from a real child', () => {
    const env = buildChildEnv({
      hostEnv: { ...process.env, ...HOST, PATH: process.env.PATH },
      envAllowList: ['OPENAI_API_KEY'],
    });
    const { stdout } = spawnSync('env', [], { env, encoding: 'utf8' });
    expect(stdout).toContain('OPENAI_API_KEY=o');
    for (const name of ['GITHUB_TOKEN', 'ANTHROPIC_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'NODE_OPTIONS']) {
      expect(stdout).not.toContain(name);
    }
  });

  it('prefers explicit values and omits undefined ones', () => {
    const env = buildChildEnv({
      hostEnv: HOST,
      extra: { HOME: '/other', GITHUB_TOKEN: 'mine', GONE: undefined },
      platform: 'linux',
    });
    expect(env).toMatchObject({ HOME: '/other', GITHUB_TOKEN: 'mine' });
    expect(env).not.toHaveProperty('GONE');
  });

  it('removes the markers of a host agent even if inherited or matched by a pattern', () => {
    const hostEnv = { ...HOST, ANTHROPIC_MARK: '1' };
    const all = buildChildEnv({ hostEnv, inheritEnv: true, allHostSignals: SIGNALS });
    expect(all).toHaveProperty('GITHUB_TOKEN');
    expect(all).not.toHaveProperty('CLAUDECODE');
    const some = buildChildEnv({ hostEnv, envAllowList: ['ANTHROPIC_*', 'CLAUDECODE'], allHostSignals: SIGNALS });
    expect(some).not.toHaveProperty('ANTHROPIC_MARK');
    expect(some).not.toHaveProperty('CLAUDECODE');
  });

  it('does not treat a bare star as everything', () => {
    expect(buildChildEnv({ hostEnv: HOST, envAllowList: ['*'] })).not.toHaveProperty('GITHUB_TOKEN');
  });

  it('ignores the case of names on Windows only', () => {
    const hostEnv = { Path: 'C:\\bin', SYSTEMROOT: 'C:\\Windows', openai_api_key: 'o' };
    const request = { hostEnv, envAllowList: ['OPENAI_API_KEY'], extra: { PATH: 'D:\\bin' } };
    expect(buildChildEnv({ ...request, platform: 'win32' })).toEqual({
      PATH: 'D:\\bin',
      SYSTEMROOT: 'C:\\Windows',
      openai_api_key: 'o',
    });
    expect(buildChildEnv({ ...request, platform: 'linux' })).toEqual({ PATH: 'D:\\bin' });
  });
});
