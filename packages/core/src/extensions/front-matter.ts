import { lazyModules } from '../lazy-modules.ts';
import { isRecord } from '../values.ts';

/** Metadata of a skill or subagent. */
export interface FrontMatter {
  name: string;
  description: string;
}

/**
 * Letters, digits, dot, _ and -, starting with a letter or digit: a valid file name on every platform, and never a path
 * out of a folder.
 */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/;
const LONGEST_DESCRIPTION = 4096;

/** Maximum length of the front matter in characters. */
const FRONT_MATTER_LIMIT = 32 * 1024;

const BLOCK = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n?---[ \t]*(?:\r?\n|$)/;

export function isExtensionName(name: string): boolean {
  return NAME.test(name);
}

/** Parses the block between the first two lines of dashes. Throws if it is invalid. */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const block = blockOf(text)?.[1];
  if (block === undefined) throw new Error('it does not start with front matter between two lines of ---');
  const { parse } = lazyModules.yaml();
  const content: unknown = parse(block, { logLevel: 'silent' });
  if (!isRecord(content)) throw new Error('its front matter has no fields');
  const { name, description } = content;
  if (typeof name !== 'string' || name.trim() === '') throw new Error('its front matter has no name');
  if (!isExtensionName(name)) {
    throw new Error(`its name "${name.slice(0, 80)}" must be at most 64 letters, digits, ".", "_" and "-"`);
  }
  if (typeof description !== 'string' || description.trim() === '') {
    throw new Error('its front matter has no description, which agents need to choose it');
  }
  if (description.length > LONGEST_DESCRIPTION) {
    throw new Error(`its description has ${description.length} characters; the limit is ${LONGEST_DESCRIPTION}`);
  }
  return { name, description: description.trim() };
}

function blockOf(text: string): RegExpExecArray | null {
  return BLOCK.exec(text.slice(0, FRONT_MATTER_LIMIT));
}

/** Replaces the name in the front matter and keeps everything else. */
export async function writeName(text: string, name: string): Promise<string> {
  const found = blockOf(text);
  if (!found?.[1]) return text;
  const { parseDocument } = lazyModules.yaml();
  const document = parseDocument(found[1]);
  document.set('name', name);
  const block = document.toString({ lineWidth: 0 }).replace(/\n$/, '');
  return text.replace(found[0], () => found[0].replace(found[1] ?? '', () => block));
}
