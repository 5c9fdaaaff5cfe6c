import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '../../../chaos/drive/wait.ts';
import type { VerifyCase } from '../../verify-case.ts';
import { DAEMON_CASE } from './daemon-case.ts';
import { DrivenSession, refusalOf } from './driven-session.ts';

const GONE_WITHIN_MS = 10_000;

export const removalCase: VerifyCase = {
  ...DAEMON_CASE,
  id: 'nothing-left',
  title: 'after rm no process, session folder or worktree of a session is left',
  rank: 'vital',
  async run(bench) {
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=verify', '-c', 'user.email=verify@localhost', ...args], {
        ...{ cwd: bench.cwd, env: { ...bench.env }, encoding: 'utf8' },
      });
    git('init', '--quiet');
    bench.put('readme.txt', 'one\n');
    git('add', '.');
    git('commit', '--quiet', '-m', 'start');
    bench.replies(bench.shell('sh -c "echo made > made.txt"'), 'Made.');
    const { session, messageId } = await DrivenSession.create(bench, 'Make a file.', { worktree: true });
    await session.done(messageId);
    const { workspace } = await session.row();
    assert.equal(workspace.kind, 'worktree');
    assert.ok(existsSync(join(workspace.path, 'made.txt')), 'the agent works in the worktree');
    assert.ok(!bench.exists('made.txt'), 'it does not work in the repository');
    assert.ok(existsSync(bench.daemon.sessionFolder(session.id)), 'the session has a folder');

    await session.calls.remove(session.id);
    assert.ok(await refusalOf(() => session.row()), 'the session is not found any more');
    assert.ok(!existsSync(bench.daemon.sessionFolder(session.id)), 'its folder is removed');
    assert.ok(!existsSync(workspace.path), 'its worktree is removed');
    assert.equal(git('worktree', 'list').trim().split('\n').length, 1, 'the repository does not list the worktree');
    await waitFor('its processes are gone', GONE_WITHIN_MS, () => bench.processes().length === 0);
  },
};
