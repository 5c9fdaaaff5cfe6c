import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = globSync('**/*.md', {
  cwd: ROOT,
  exclude: (name) => /node_modules|dist|\.git|recordings/.test(name),
}).sort();

/** Links within the repository, outside code. */
function linksOf(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = '']) => link);
}

/** Anchors of headings: lower case, dashes, a number for duplicates. */
function anchorsOf(page: string): Set<string> {
  const text = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  const seen = new Map<string, number>();
  const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => {
    const anchor = title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
  return new Set(anchors);
}

function issueOf(page: string, link: string): string[] {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? join(ROOT, page) : resolve(dirname(join(ROOT, page)), file);
  if (!target.startsWith(ROOT)) return [`${page}: ${link} leads out of the repository`];
  if (!existsSync(target)) return [`${page}: ${link} does not exist`];
  if (anchor === undefined) return [];
  const isPage = statSync(target).isFile() && target.endsWith('.md');
  return isPage && anchorsOf(target).has(anchor) ? [] : [`${page}: ${link}: heading not found`];
}

describe('documentation pages', () => {
  it('link to existing files and headings', () => {
    expect(PAGES).toEqual(expect.arrayContaining(['README.md', 'docs/sdk.md', 'docs/reference/events.md']));
    const links = PAGES.flatMap((page) => linksOf(readFileSync(join(ROOT, page), 'utf8')).map((link) => [page, link]));
    expect(links.length).toBeGreaterThan(100);
    expect(links.flatMap(([page = '', link = '']) => issueOf(page, link))).toEqual([]);
  });

  it('fail with a broken link', () => {
    expect(issueOf('README.md', 'docs/nothing.md')).toHaveLength(1);
    expect(issueOf('README.md', 'docs/cli.md#nothing')).toHaveLength(1);
    expect(issueOf('README.md', '../outside.md')).toHaveLength(1);
  });

  it('are all reachable from README.md', () => {
    const reached = new Set(['README.md']);
    for (const page of reached) {
      for (const link of linksOf(readFileSync(join(ROOT, page), 'utf8'))) {
        const [file = ''] = link.split('#');
        const target = join(dirname(page), file);
        if (file.endsWith('.md') && PAGES.includes(target)) reached.add(target);
      }
    }
    const alone = PAGES.filter((page) => !reached.has(page) && !/^(?:packages|examples)\//.test(page));
    expect(alone).toEqual([]);
  });
});
