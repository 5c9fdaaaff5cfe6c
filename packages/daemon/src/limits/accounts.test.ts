import { claudeAdapter, codexAdapter } from '@agent-mux/adapters';
import { describe, expect, it } from 'vitest';
import { accountOf } from './accounts.ts';

const home = { HOME: '/home/user' };

describe('accountOf', () => {
  it('combines the agent, a hash of its login location and the names of its keys', () => {
    const account = accountOf(claudeAdapter, home);
    expect(account).toMatch(/^claude\/[0-9a-f]{8}$/);
    expect(accountOf(claudeAdapter, { ...home, PATH: '/bin', OTHER_HOME: '/x', EDITOR: 'vi' })).toBe(account);
    const others = [
      accountOf(codexAdapter, home),
      accountOf(claudeAdapter, { HOME: '/home/another' }),
      accountOf(claudeAdapter, { ...home, CLAUDE_CONFIG_DIR: '/work' }),
      accountOf(claudeAdapter, { ...home, ANTHROPIC_API_KEY: 'one' }),
    ];
    expect(new Set([account, ...others]).size).toBe(5);
  });

  it('does not depend on the value of a key', () => {
    const withKey = (key: string) => accountOf(claudeAdapter, { ...home, ANTHROPIC_API_KEY: key });
    expect(withKey('one')).toBe(withKey('two'));
  });
});
