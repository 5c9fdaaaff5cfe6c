import { execFile } from 'node:child_process';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { lookAt } from '../files/look.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { editTextFile } from '../native-config/edit-file.ts';
import { type BlockMarks, putBlock, readBlock, takeBlock } from './block.ts';

const SMALL_FILE = 1024 * 1024;
const LIMIT_MS = 20_000;

export interface Repository {
  /** The folder that patterns are seen from. */
  top: string;
  /** The git directory that all work trees of the repository share. */
  common: string;
}

/** The repository that a path lies in, found as git finds it; nothing of it is run. */
export async function findRepository(path: string): Promise<Repository | undefined> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const found = await repositoryAt(folder);
    if (found) return found;
    if (dirname(folder) === folder) return undefined;
  }
}

async function repositoryAt(top: string): Promise<Repository | undefined> {
  const dotGit = join(top, '.git');
  const stats = await lookAt(dotGit).catch(() => undefined);
  if (!stats) return undefined;
  const pointed = stats.isDirectory() ? undefined : /^gitdir: (.+?)\r?\n?$/.exec(await readSmall(dotGit))?.[1];
  if (!stats.isDirectory() && pointed === undefined) return undefined;
  const folder = pointed === undefined ? dotGit : resolve(top, pointed);
  if (!(await lookAt(join(folder, 'HEAD')).catch(() => undefined))) return undefined;
  const shared = (await readSmall(join(folder, 'commondir'))).trim();
  return { top, common: shared === '' ? folder : resolve(folder, shared) };
}

function readSmall(path: string): Promise<string> {
  return readRegularFile(path, { limit: SMALL_FILE }).then(
    (bytes) => bytes.toString('utf8'),
    () => '',
  );
}

/**
 * Whether git has this file in its index. The repository is somebody's: none of its hooks or monitors is run, and variables
 * of another git command would lead to another repository.
 */
export function isTracked({ top }: Repository, file: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { PATH = '', HOME = '' } = env;
  const args = ['-C', top, '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '--literal-pathspecs'];
  return new Promise((resolve) => {
    execFile(
      'git',
      [...args, 'ls-files', '--error-unmatch', '--', file],
      { env: { PATH, HOME, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' }, timeout: LIMIT_MS, windowsHide: true },
      (error) => resolve(error === null),
    );
  });
}

/** Where git looks for what only this clone ignores. Work trees of one repository have one such file. */
function excludeFile({ common }: Repository): string {
  return join(common, 'info', 'exclude');
}

const MARKS: BlockMarks = {
  begin: (note) => `# agent-mux hooks: begin${note}`,
  end: '# agent-mux hooks: end',
};

/** Says what git is to ignore for one agent in one workspace, in place of what was said before; an empty list takes it out. */
export async function ignoreFiles(
  repository: Repository,
  { agent, workspace, files }: { agent: string; workspace: string; files: readonly string[] },
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const heading = headingOf(agent, workspace);
  const patterns = files.map((file) => patternOf(repository.top, file));
  const path = excludeFile(repository);
  // A file that is kept elsewhere, or cannot be written, is in nobody's way where there is nothing to say.
  if (patterns.length === 0 && !(await readSmall(path)).includes(heading)) return;
  await editTextFile(
    { agent, path, within: repository.common },
    (text) => {
      const others = sectionsOf(readBlock(text, MARKS) ?? '').filter((section) => section.heading !== heading);
      const sections = patterns.length > 0 ? [...others, { heading, patterns }] : others;
      if (sections.length === 0) return text === undefined ? undefined : takeBlock(text, MARKS);
      return putBlock(text, MARKS, sections.map(writeSection).join(''));
    },
    { env },
  );
}

/** Whether a line of ours is there for this file. */
export async function isIgnored(repository: Repository, file: string): Promise<boolean> {
  const body = readBlock(await readSmall(excludeFile(repository)), MARKS) ?? '';
  return body.split('\n').includes(patternOf(repository.top, file));
}

interface Section {
  heading: string;
  patterns: readonly string[];
}

/** The workspace too: another work tree of the same repository may need the same line. */
function headingOf(agent: string, workspace: string): string {
  return `# ${agent} ${JSON.stringify(workspace)}`;
}

function sectionsOf(body: string): Section[] {
  const sections: { heading: string; patterns: string[] }[] = [];
  for (const line of body.split('\n')) {
    if (line.startsWith('# ')) sections.push({ heading: line, patterns: [] });
    else if (line !== '') sections.at(-1)?.patterns.push(line);
  }
  return sections;
}

function writeSection({ heading, patterns }: Section): string {
  return [heading, ...patterns, ''].join('\n');
}

/** This one path, whatever characters it has; a line cannot hold the end of one. */
function patternOf(top: string, file: string): string {
  const path = relative(top, file).split(sep).join('/');
  return `/${path.replaceAll(/[\\*?[]/g, '\\$&').replaceAll(/[\r\n]/g, '?')}`.replace(/ $/, '\\ ');
}
