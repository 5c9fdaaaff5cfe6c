import { join, relative, sep } from 'node:path';
import { readRegularFile } from '../files/regular-file.ts';
import type { GitLocation } from '../git/locate.ts';
import { withRepository } from '../git/repository.ts';
import { editTextFile } from '../native-config/edit-file.ts';
import { type BlockMarks, putBlock, readBlock, takeBlock } from './block.ts';

const SMALL_FILE = 1024 * 1024;

/** Whether git has this file in its index. */
export async function isTracked(location: GitLocation, file: string): Promise<boolean> {
  return withRepository(location, { writes: false, readsUser: false }, async (repository) => {
    const answer = await repository.tryGit(['ls-files', '--error-unmatch', '--', relative(location.top, file)]);
    return answer.code === 0;
  }).catch(() => false);
}

function readSmall(path: string): Promise<string> {
  return readRegularFile(path, { limit: SMALL_FILE }).then(
    (bytes) => bytes.toString('utf8'),
    () => '',
  );
}

/** Where git looks for what only this clone ignores. Work trees of one repository have one such file. */
function excludeFile({ common }: GitLocation): string {
  return join(common, 'info', 'exclude');
}

const MARKS: BlockMarks = {
  begin: (note) => `# agent-mux hooks: begin${note}`,
  end: '# agent-mux hooks: end',
};

/** Says what git is to ignore for one agent in one workspace, in place of what was said before; an empty list takes it out. */
export async function ignoreFiles(
  repository: GitLocation,
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
export async function isIgnored(repository: GitLocation, file: string): Promise<boolean> {
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
