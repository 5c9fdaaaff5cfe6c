import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fillDisk, mountDiskAt } from '@agent-mux/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { amux, createTestHome, start, type TestHome, TIMEOUT_MS } from './amux.ts';

const canMount = process.platform === 'linux' && process.getuid?.() === 0;
const unmounts: (() => void)[] = [];
afterEach(() => {
  for (const unmount of unmounts.splice(0)) unmount();
});

function mountHome(): TestHome {
  const { home } = createTestHome();
  unmounts.push(mountDiskAt(home, 2048));
  mkdirSync(join(home, 'project'));
  return { home, cwd: join(home, 'project') };
}

const FAULTS: Record<string, { begin(testHome: TestHome): void; says: RegExp }> = {
  'a read-only home': {
    begin: ({ home }) => {
      expect(spawnSync('mount', ['-o', 'remount,ro', home]).status).toBe(0);
    },
    says: /the file system is read-only \(EROFS\)/,
  },
  'a full disk': {
    begin: ({ home }) => fillDisk(join(home, 'ballast')),
    says: /no space left on the disk \(ENOSPC\)/,
  },
};

/** Every command that writes files of agent-mux. */
const COMMANDS: readonly (readonly string[])[] = [
  ['up'],
  ['up', '--foreground'],
  ['ps'],
  ['new', '-a', 'demo', 'hello'],
  ['policy', 'add', 'deny', '--kind', 'execute', '--pattern', 'rm *', '--name', 'no-rm'],
  ['profiles', 'set', 'fast', 'agent=demo'],
];

describe.skipIf(!canMount).each(Object.entries(FAULTS))('%s (needs a mount: only root can)', (_, { begin, says }) => {
  it('is reported with a hint by every command that writes', { timeout: TIMEOUT_MS * 3 }, async () => {
    const testHome = mountHome();
    begin(testHome);
    for (const command of COMMANDS) {
      const { code, stderr } = await amux(testHome, command);
      const what = `${command.join(' ')}: ${stderr}`;
      expect(stderr, what).toMatch(says);
      expect(stderr, what).toContain('hint:');
      expect(stderr, what).not.toContain('fault of amux');
      expect(code, what).toBe(1);
    }
  });
});

describe('amux logs', () => {
  it('prints the log of a foreground daemon', { timeout: TIMEOUT_MS }, async () => {
    const testHome = createTestHome();
    const daemon = start(testHome, ['up', '--foreground', '--port', '0']);
    try {
      await daemon.until('press Ctrl-C to stop it');
      const { code, stdout } = await amux(testHome, ['logs']);
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringMatching(/daemon .* started at http:/),
      });
      expect(daemon.output()).toContain('started at');
    } finally {
      daemon.child.kill('SIGINT');
      await daemon.finished;
    }
  });
});
