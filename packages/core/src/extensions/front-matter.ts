import { onDemand } from '../on-demand.ts';
import { isRecord } from '../values.ts';

/** What a skill or a sub-agent says of itself. */
export interface FrontMatter {
  name: string;
  description: string;
}

/** Letters, digits, dot, _ and -, beginning with a letter or digit: a file name everywhere, and never a way out of a folder. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/;
const LONGEST_DESCRIPTION = 4096;

/** In characters. No front matter ends behind them. */
const FRONT_MATTER_LIMIT = 32 * 1024;

const BLOCK = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n?---[ \t]*(?:\r?\n|$)/;

export function isExtensionName(name: string): boolean {
  return NAME.test(name);
}

/** The block between the first two lines of dashes. Throws with what is wrong. */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const block = blockOf(text)?.[1];
  if (block === undefined) throw new Error('it does not begin with front matter between two lines of ---');
  const { parse } = onDemand.yaml();
  const content: unknown = parse(block, { logLevel: 'silent' });
  if (!isRecord(content)) throw new Error('its front matter holds no fields');
  const { name, description } = content;
  if (typeof name !== 'string' || name.trim() === '') throw new Error('its front matter has no name');
  if (!isExtensionName(name)) {
    throw new Error(`its name "${name.slice(0, 80)}" is not made of letters, digits, dot, _ and -, at most 64`);
  }
  if (typeof description !== 'string' || description.trim() === '') {
    throw new Error('its front matter has no description: that is what an agent chooses by');
  }
  if (description.length > LONGEST_DESCRIPTION) {
    throw new Error(`its description has ${description.length} characters, and ${LONGEST_DESCRIPTION} are the limit`);
  }
  return { name, description: description.trim() };
}

function blockOf(text: string): RegExpExecArray | null {
  return BLOCK.exec(text.slice(0, FRONT_MATTER_LIMIT));
}

/** The same text with another name in the front matter; all else stays. */
export async function writeName(text: string, name: string): Promise<string> {
  const found = blockOf(text);
  if (!found?.[1]) return text;
  const { parseDocument } = onDemand.yaml();
  const document = parseDocument(found[1]);
  document.set('name', name);
  const block = document.toString({ lineWidth: 0 }).replace(/\n$/, '');
  return text.replace(found[0], () => found[0].replace(found[1] ?? '', () => block));
}
