import type { Item } from '../../data/items.ts';
import { subjectOf, textOf } from './tool.logic.ts';

/** Exports a conversation as Markdown, without thinking. */
export function toMarkdown(title: string, items: readonly Item[]): string {
  return `${[`# ${title}`, ...items.flatMap(write)].join('\n\n')}\n`;
}

function write(item: Item): string[] {
  switch (item.kind) {
    case 'user':
      return [`**You:**\n\n${item.text}`];
    case 'text':
      return item.text.trim() === '' ? [] : [item.text.trim()];
    case 'tool': {
      const output = item.error ?? textOf(item.output);
      return [
        `- \`${item.name}\` ${subjectOf(item)}`,
        ...(output === '' ? [] : [fence(output)]),
        ...item.children.flatMap(write),
      ];
    }
    case 'plan':
      return [
        item.entries.map(({ content, status }) => `- [${status === 'completed' ? 'x' : ' '}] ${content}`).join('\n'),
      ];
    case 'error':
      return [`> ${item.title}: ${item.message}`];
    case 'file':
      return [`File: ${item.path ?? item.name}`];
    default:
      return [];
  }
}

/** A code fence that is longer than any fence in the text. */
function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}\n${text.trimEnd()}\n${mark}`;
}
