import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from './operations.ts';
import type { World } from './world.ts';

export interface HostileRepository {
  /** Makes the user's repository hostile. */
  build?(world: World): void;
  /** Changes made by the agent in its worktree, or by a person in the folder. */
  hide?(world: World, top: string): void;
  /** Further paths that must be listed and saved. */
  shows?: readonly string[];
  /** Saved as files, since no commit can hold them. */
  leftovers?: readonly string[];
  /** Operations that are refused, with their error message. */
  refuses?: Partial<Record<Operation, string>>;
  /** A git command that shows that the trap works. */
  trap?: readonly string[];
}

const settings = (world: World, values: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(values)) world.git('config', name, value);
};
const script = (path: string, { program }: World) => {
  writeFileSync(path, `#!/bin/sh\n${program} </dev/null\n`);
  chmodSync(path, 0o755);
};
const HOOKS =
  'pre-commit commit-msg post-commit prepare-commit-msg post-checkout post-merge pre-merge-commit post-index-change ' +
  'reference-transaction fsmonitor-watchman post-rewrite pre-auto-gc push-to-checkout';
const addHooks = (folder: string, world: World) => {
  mkdirSync(folder, { recursive: true });
  for (const name of HOOKS.split(' ')) script(join(folder, name), world);
};
/** Filters are not run, so a file with a filter must not be committed or checked out. */
const NEEDS_FILTER = { commit: 'needs the git filter "evil"', merge: 'uncommitted work' };
const addFilter = (world: World, values: Record<string, string>) => {
  settings(world, values);
  world.put(join(world.work, '.git/info/attributes'), '*.x filter=evil\n');
};
const REFUSE_BOTH = (text: string): Partial<Record<Operation, string>> => ({
  ...{ 'list changes': text, 'create worktree': text },
});
const fifo = (path: string) => {
  if (!existsSync(path)) execFileSync('mkfifo', [path]);
};

/** Each has one trap: first those that run programs, then those that block, then those that hide changes. */
export const HOSTILE: Readonly<Record<string, HostileRepository>> = {
  'a clean and a smudge filter': {
    build: (world) => addFilter(world, { 'filter.evil.clean': world.program, 'filter.evil.smudge': world.program }),
    refuses: NEEDS_FILTER,
    trap: ['add', '--renormalize', '.'],
  },
  'a filter process that is required': {
    build: (world) => addFilter(world, { 'filter.evil.process': world.program, 'filter.evil.required': 'true' }),
    refuses: NEEDS_FILTER,
    trap: ['add', '--renormalize', '.'],
  },
  'a filter by committed attributes': {
    build(world) {
      world.put(join(world.work, '.gitattributes'), '*.x filter=evil\n');
      world.git('add', '.');
      world.git('commit', '-q', '-m', 'attributes');
      settings(world, { 'filter.evil.clean': world.program, 'filter.evil.smudge': world.program });
    },
    refuses: NEEDS_FILTER,
    trap: ['add', '--renormalize', '.'],
  },
  'a merge driver': {
    build(world) {
      settings(world, { 'merge.evil.driver': `${world.program} %O %A %B`, 'merge.default': 'evil' });
      world.put(join(world.work, '.git/info/attributes'), '* merge=evil\n');
    },
  },
  'diff drivers, textconv and an external diff': {
    build(world) {
      settings(world, {
        ...{ 'diff.evil.command': world.program, 'diff.evil.textconv': world.program, 'diff.external': world.program },
      });
      world.put(join(world.work, '.git/info/attributes'), '* diff=evil\n');
    },
    trap: ['diff', '--ext-diff', 'HEAD'],
  },
  'a file system monitor': {
    build: (world) => settings(world, { 'core.fsmonitor': world.program }),
    trap: ['status'],
  },
  hooks: {
    build: (world) => addHooks(join(world.work, '.git/hooks'), world),
    trap: ['commit', '-q', '--allow-empty', '-m', 'x'],
  },
  'a folder of hooks in the work tree': {
    build(world) {
      addHooks(join(world.work, '.git/own-hooks'), world);
      settings(world, { 'core.hooksPath': join(world.work, '.git/own-hooks') });
    },
    trap: ['commit', '-q', '--allow-empty', '-m', 'x'],
  },
  'programs for transports, and objects that are fetched on demand': {
    build: (world) =>
      settings(world, {
        'core.sshCommand': world.program,
        'core.gitProxy': world.program,
        'remote.origin.url': `ext::${world.program}`,
        'remote.origin.uploadpack': world.program,
        'remote.origin.promisor': 'true',
        'protocol.ext.allow': 'always',
        'core.repositoryformatversion': '1',
        'extensions.partialClone': 'origin',
      }),
    trap: ['fetch', 'origin'],
  },
  'programs for everything else': {
    build: (world) =>
      settings(world, {
        'core.pager': world.program,
        'core.editor': world.program,
        'core.askPass': world.program,
        'core.alternateRefsCommand': world.program,
        'sequence.editor': world.program,
        'gpg.program': world.program,
        'commit.gpgSign': 'true',
        'credential.helper': `!${world.program}`,
        'alias.read-tree': `!${world.program}`,
        'alias.update-index': `!${world.program}`,
        'uploadpack.packObjectsHook': world.program,
      }),
    trap: ['commit', '-q', '--allow-empty', '-m', 'x'],
  },
  'settings that are included': {
    build(world) {
      world.put(join(world.work, '.git/more'), `[core]\n\tfsmonitor = ${world.program}\n`);
      settings(world, { 'include.path': 'more', [`includeIf.gitdir:${world.work}/.path`]: 'more' });
    },
    trap: ['status'],
  },
  'settings of the worktree alone': {
    build: (world) => settings(world, { 'core.repositoryformatversion': '1', 'extensions.worktreeConfig': 'true' }),
    hide(world, top) {
      const gitDir =
        top === world.work ? join(top, '.git') : execFileSync('git', ['-C', top, 'rev-parse', '--git-dir']);
      const text = `[core]\n\tfsmonitor = ${world.program}\n\thooksPath = ${world.root}\n`;
      world.put(join(`${gitDir}`.trim(), 'config.worktree'), text);
    },
    trap: ['status'],
  },
  'a .git of the worktree that points to a repository of the agent': {
    hide(world, top) {
      if (top === world.work) return;
      const fake = join(top, 'x.git');
      execFileSync('git', ['init', '-q', '--bare', fake]);
      world.put(join(fake, 'config'), `[core]\n\tbare = false\n\tfsmonitor = ${world.program}\n`);
      world.put(join(fake, 'HEAD'), 'ref: refs/heads/main\n');
      rmSync(join(top, '.git'));
      world.put(join(top, '.git'), `gitdir: ${fake}\n`);
    },
  },
  'a submodule with its own traps': {
    build(world) {
      const other = join(world.root, 'other');
      execFileSync('git', ['init', '-q', other]);
      world.put(join(other, 'x'), 'x\n');
      const as = ['-c', 'user.name=a', '-c', 'user.email=a@localhost'];
      execFileSync('git', ['-C', other, 'add', '.']);
      execFileSync('git', ['-C', other, ...as, 'commit', '-q', '-m', 'x']);
      world.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'sub');
      world.git('commit', '-q', '-m', 'submodule');
      const program = { 'core.fsmonitor': world.program };
      for (const [name, value] of Object.entries(program)) world.git('-C', 'sub', 'config', name, value);
    },
    trap: ['status'],
  },
  'a nested repository with its own traps': {
    hide(world, top) {
      execFileSync('git', ['init', '-q', join(top, 'nested')]);
      world.put(join(top, 'nested/x'), 'x\n');
      execFileSync('git', ['-C', join(top, 'nested'), 'config', 'core.fsmonitor', world.program]);
    },
    shows: ['nested/x'],
    leftovers: ['nested/x', 'nested/.git/HEAD'],
    refuses: { merge: 'their own repository' },
  },

  'named pipes in place of parts of the index': {
    build(world) {
      for (const at of ['1', '2', '3', '4', '5']) fifo(join(world.work, `.git/sharedindex.${at}`));
    },
    refuses: REFUSE_BOTH('is a named pipe'),
  },
  'a named pipe in place of the settings': {
    build(world) {
      rmSync(join(world.work, '.git/config'));
      fifo(join(world.work, '.git/config'));
    },
    refuses: REFUSE_BOTH('is a named pipe'),
  },
  'a named pipe among the objects': {
    build(world) {
      mkdirSync(join(world.work, '.git/objects/pack'), { recursive: true });
      fifo(join(world.work, `.git/objects/pack/pack-${'0'.repeat(40)}.idx`));
      world.put(join(world.work, `.git/objects/pack/pack-${'0'.repeat(40)}.pack`), 'x');
    },
    refuses: REFUSE_BOTH('is a named pipe'),
  },
  'a named pipe among the objects of another repository': {
    build(world) {
      mkdirSync(join(world.root, 'far/pack'), { recursive: true });
      fifo(join(world.root, `far/pack/pack-${'0'.repeat(40)}.idx`));
      world.put(join(world.root, `far/pack/pack-${'0'.repeat(40)}.pack`), 'x');
      world.put(join(world.work, '.git/objects/info/alternates'), `${join(world.root, 'far')}\n/\n`);
    },
    refuses: REFUSE_BOTH('is a named pipe'),
  },
  'a named pipe in place of .gitignore': {
    hide: (_, top) => fifo(join(top, '.gitignore')),
    refuses: {
      ...{ 'list changes': 'is a named pipe', 'show changes': 'is a named pipe', commit: 'is a named pipe' },
      ...{ fork: 'is a named pipe', merge: 'is a named pipe', discard: 'is a named pipe' },
    },
  },
  'a device in place of a file': {
    build(world) {
      rmSync(join(world.work, '.git/info/exclude'), { force: true });
      symlinkSync('/dev/zero', join(world.work, '.git/info/exclude'));
    },
    refuses: REFUSE_BOTH('is a device'),
  },
  'a huge file of refs': {
    build(world) {
      world.put(join(world.work, '.git/packed-refs'), '');
      truncateSync(join(world.work, '.git/packed-refs'), 8 * 1024 ** 3);
    },
    refuses: REFUSE_BOTH('the limit is'),
  },
  'alternates that lead in a circle': {
    build: (world) =>
      world.put(
        join(world.work, '.git/objects/info/alternates'),
        `${join(world.work, '.git/objects')}\n/\n../objects\n`,
      ),
  },

  'files that are assumed to be unchanged': {
    hide: (_, top) => void execFileSync('git', ['-C', top, 'update-index', '--assume-unchanged', 'a.txt', 'b.x']),
  },
  'files that are said not to be checked out': {
    hide: (_, top) => void execFileSync('git', ['-C', top, 'update-index', '--skip-worktree', 'a.txt', 'b.x']),
  },
  'a .gitignore that hides itself': {
    hide(world, top) {
      world.put(join(top, 'deep/.gitignore'), '*\n');
      world.put(join(top, 'deep/secret.txt'), 'x\n');
    },
    shows: ['deep/.gitignore', 'deep/secret.txt'],
    leftovers: ['deep/.gitignore', 'deep/secret.txt'],
  },
  'a rule of the clone that hides new files': {
    build: (world) => world.put(join(world.work, '.git/info/exclude'), 'secret\n'),
    hide: (world, top) => world.put(join(top, 'secret'), 'x\n'),
    leftovers: ['secret'],
  },
  'settings that hide differences': {
    build: (world) =>
      settings(world, {
        'core.ignoreStat': 'true',
        'core.trustctime': 'false',
        'core.checkStat': 'minimal',
        'core.ignoreCase': 'true',
        'core.excludesFile': join(world.work, '.git/hidden'),
        'status.showUntrackedFiles': 'no',
        'diff.ignoreSubmodules': 'all',
      }),
    hide(world, top) {
      world.put(join(world.work, '.git/hidden'), '*\n');
      world.put(join(top, 'A.TXT'), 'x\n');
    },
    shows: ['A.TXT'],
  },
  'a commit that is replaced by another': {
    hide(_, top) {
      const as = ['-c', 'user.name=a', '-c', 'user.email=a@localhost'];
      const blob = execFileSync('git', ['-C', top, 'hash-object', '-w', 'a.txt'], { encoding: 'utf8' }).trim();
      const old = execFileSync('git', ['-C', top, 'rev-parse', 'HEAD:a.txt'], { encoding: 'utf8' }).trim();
      if (old !== blob) execFileSync('git', ['-C', top, ...as, 'replace', '-f', old, blob]);
    },
  },
  'names with newlines and quotes': {
    hide: (world, top) => world.put(join(top, 'new\nline "x"\t'), 'x\n'),
    shows: ['new\nline "x"\t'],
  },
};
