import type { Member } from './declarations.ts';

export const MADE = 'Made by `npm run docs` from the types and their comments.';

/** A table of fields: name, type, meaning. */
export function fieldTable(members: readonly Member[]): string {
  const rows = members.map(({ name, written, isOptional, comment }) => {
    const type = written.map((text) => `\`${escapeCell(text)}\``).join('<br>');
    return `| \`${name}${isOptional ? '?' : ''}\` | ${type} | ${escapeCell(comment)} |`;
  });
  return ['| name | type | |', '|---|---|---|', ...rows].join('\n');
}

/** Methods, each with its signature; fields before them, as a table. `of`: what they are called on, where it is not said. */
export function memberList(members: readonly Member[], of = ''): string {
  const fields = members.filter(({ isMethod }) => !isMethod);
  const methods = members.filter(({ isMethod }) => isMethod);
  return [
    ...(fields.length > 0 ? [fieldTable(fields)] : []),
    ...methods.map(({ name, written, comment }) => `### ${of}${name}\n${codeBlock(written.join('\n'))}\n${comment}`),
  ].join('\n\n');
}

export function codeBlock(text: string, language = 'ts'): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

export function words(values: readonly string[]): string {
  return values.map((value) => `\`${value}\``).join(', ');
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}
