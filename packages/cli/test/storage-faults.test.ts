import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fillDisk, mountDiskAt } from '@agent-mux/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { amux, newPlace, PATIENCE_MS, type Place, start } from './amux.ts';

const canMount = process.platform === 'linux' && process.getuid?.() === 0;
const unmounts: (() => void)[] = [];
afterEach(() => {
  for (const unmount of unmounts.splice(0)) unmount();
});

function mountHome(): Place {
  const { home } = newPlace();
  unmounts.push(mountDiskAt(home, 2048));
  mkdirSync(join(home, 'project'));
  return { home, cwd: join(home, 'project') };
}

const FAULTS: Record<string, { begin(place: Place): void; says: RegExp }> = {
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

/** Every command that writes something of agent-mux's own. */
const COMMANDS: readonly (readonly string[])[] = [
  ['up'],
  ['up', '--foreground'],
  ['ps'],
  ['new', '-a', 'demo', 'hello'],
  ['policy', 'add', 'deny', '--kind', 'execute', '--pattern', 'rm *', '--name', 'no-rm'],
  ['profiles', 'set', 'fast', 'agent=demo'],
];

describe.skipIf(!canMount).each(Object.entries(FAULTS))('%s (needs a mount: only root can)', (_, { begin, says }) => {
  it('is named by every command that writes, with what to do', { timeout: PATIENCE_MS * 3 }, async () => {
    const place = mountHome();
    begin(place);
    for (const command of COMMANDS) {
      const { code, stderr } = await amux(place, command);
      const what = `${command.join(' ')}: ${stderr}`;
      expect(stderr, what).toMatch(says);
      expect(stderr, what).toContain('hint:');
      expect(stderr, what).not.toContain('fault of amux');
      expect(code, what).toBe(1);
    }
  });
});

describe('amux logs', () => {
  it('shows the log of a daemon in the foreground', { timeout: PATIENCE_MS }, async () => {
    const place = newPlace();
    const daemon = start(place, ['up', '--foreground', '--port', '0']);
    try {
      await daemon.until('Ctrl-C ends it');
      const { code, stdout } = await amux(place, ['logs']);
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringMatching(/the daemon .* has started at http:/),
      });
      expect(daemon.output()).toContain('has started at');
    } finally {
      daemon.child.kill('SIGINT');
      await daemon.finished;
    }
  });
});
