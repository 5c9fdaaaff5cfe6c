import { join, relative, sep } from 'node:path';
import { readRegularFile } from '../files/regular-file.ts';
import type { GitLocation } from '../git/locate.ts';
import { withRepository } from '../git/repository.ts';
import { editTextFile } from '../native-config/edit-file.ts';
import { type BlockMarks, insertBlock, readBlock, removeBlock } from './block.ts';

const SMALL_FILE = 1024 * 1024;

/** Whether the file is in git's index. */
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

/** The exclude file of this clone, shared by all work trees of a repository. */
function excludeFile({ common }: GitLocation): string {
  return join(common, 'info', 'exclude');
}

const MARKS: BlockMarks = {
  begin: (note) => `# agent-mux hooks: begin${note}`,
  end: '# agent-mux hooks: end',
};

/** Sets the ignored files of one agent in one workspace; an empty list removes the section. */
export async function ignoreFiles(
  repository: GitLocation,
  { agent, workspace, files }: { agent: string; workspace: string; files: readonly string[] },
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const heading = headingOf(agent, workspace);
  const patterns = files.map((file) => patternOf(repository.top, file));
  const path = excludeFile(repository);
  // If there is nothing to remove, an exclude file that is linked or read-only does not matter.
  if (patterns.length === 0 && !(await readSmall(path)).includes(heading)) return;
  await editTextFile(
    { agent, path, within: repository.common },
    (text) => {
      const others = sectionsOf(readBlock(text, MARKS) ?? '').filter((section) => section.heading !== heading);
      const sections = patterns.length > 0 ? [...others, { heading, patterns }] : others;
      if (sections.length === 0) return text === undefined ? undefined : removeBlock(text, MARKS);
      return insertBlock(text, MARKS, sections.map(writeSection).join(''));
    },
    { env },
  );
}

/** Whether our section ignores this file. */
export async function isIgnored(repository: GitLocation, file: string): Promise<boolean> {
  const body = readBlock(await readSmall(excludeFile(repository)), MARKS) ?? '';
  return body.split('\n').includes(patternOf(repository.top, file));
}

interface Section {
  heading: string;
  patterns: readonly string[];
}

/** Includes the workspace: another work tree of the same repository may need the same line. */
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

/** A pattern for exactly this path; a pattern cannot contain line breaks. */
function patternOf(top: string, file: string): string {
  const path = relative(top, file).split(sep).join('/');
  return `/${path.replaceAll(/[\\*?[]/g, '\\$&').replaceAll(/[\r\n]/g, '?')}`.replace(/ $/, '\\ ');
}
