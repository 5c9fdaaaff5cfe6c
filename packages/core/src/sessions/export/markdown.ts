import type { Session, SessionMessage, SessionToolCall } from '../../contract/sessions.ts';
import { orderedParts } from '../../session-stores/message-parts.ts';
import { withoutEnding } from '../../values.ts';
import { factsOf, inputOf, SPEAKERS, tailsOf, timeOf, titleOf, withoutControls } from './parts.ts';

/**
 * Messages are in block quotes: Markdown in them is rendered and cannot leave them, nor look like a heading of the
 * document. HTML, images and active links, which could, are escaped; fenced code is put into our own fences, and
 * nothing else can open one. Input and output of tools are in fences too.
 */
export function writeMarkdown(session: Session): string {
  const facts = factsOf(session).map(([name, value]) => `- ${name}: ${codeSpan(value)}`);
  const tails = tailsOf(session).flatMap(({ id, messages }) => [
    `## Another branch: ${codeSpan(id)}`,
    ...messages.flatMap((message) => messageBlocks(message, '###')),
  ]);
  const blocks = [
    `# ${escapeLine(titleOf(session))}`,
    facts.join('\n'),
    ...session.messages.flatMap((message) => messageBlocks(message, '##')),
    ...tails,
  ];
  return `${blocks.join('\n\n')}\n`;
}

function messageBlocks(message: SessionMessage, level: string): string[] {
  const time = timeOf(message.timestamp);
  return [
    `${level} ${SPEAKERS[message.role] ?? 'Note'}${time ? ` (${time})` : ''}`,
    ...orderedParts(message).flatMap((part) => {
      if (part.type === 'tool') return toolBlocks(part.call);
      if (part.text.trim() === '') return [];
      return [...(part.type === 'thinking' ? ['Thinking:'] : []), quote(part.text)];
    }),
  ];
}

function toolBlocks(call: SessionToolCall): string[] {
  const input = inputOf(call);
  const outcome = call.output === undefined ? 'No result.' : call.isError ? 'Failed:' : 'Output:';
  return [
    `Tool ${codeSpan(call.toolName)}`,
    ...(input === '' ? [] : [fence(input)]),
    outcome,
    ...(call.output ? [fence(call.output)] : []),
  ];
}

/** Longer than any run of backticks inside, so that nothing in it ends the fence. */
export function fence(content: string, language = ''): string {
  const text = withoutControls(content);
  const longest = longestTicks(text);
  const mark = '`'.repeat(Math.max(3, longest + 1));
  return `${mark}${language}\n${withoutEnding(text, '\n')}\n${mark}`;
}

function longestTicks(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

function codeSpan(content: string): string {
  const text = withoutControls(content).replace(/\s+/g, ' ').trim() || ' ';
  const longest = longestTicks(text);
  const mark = '`'.repeat(longest + 1);
  return longest > 0 ? `${mark} ${text} ${mark}` : `${mark}${text}${mark}`;
}

const OPENS = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})[ \t]*([\w+#.-]*)/;
const CLOSES = /^ {0,3}(`{3,}|~{3,})[ \t]*$/;

export function quote(content: string): string {
  const lines = withoutControls(content).trim().split('\n');
  const blocks: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [, mark, language = ''] = OPENS.exec(line) ?? [];
    if (mark === undefined) {
      blocks.push(escapeMarkup(line));
      continue;
    }
    const closes = lines.findIndex((other, index) => index > at && CLOSES.exec(other)?.[1]?.startsWith(mark));
    const end = closes === -1 ? lines.length : closes;
    blocks.push(fence(lines.slice(at + 1, end).join('\n'), language));
    at = end;
  }
  return blocks
    .join('\n')
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** The target of a link or a link definition, up to its end or the end of the line. */
const TARGET = /\]([(:])([^)]*)/g;
const OPEN_SCHEMES = /^<?(?:https?|mailto):/i;

/**
 * Links may lead to pages, mail and files next to the document. Any other target (`javascript:`, `data:`), and one that
 * may become another (entities, escapes, a continued line), is not rendered as a link.
 */
function escapeLinks(line: string): string {
  return line.replace(TARGET, (whole, sign: string, rest: string) => {
    const target = rest.trim();
    // An empty link leads nowhere; at the end of a line its target may follow.
    if (OPEN_SCHEMES.test(target) || (target !== '' && !/[:&\\]/.test(target))) return whole;
    return `]${sign === '(' ? '&#40;' : '&#58;'}${rest}`;
  });
}

function escapeMarkup(line: string): string {
  return escapeLinks(line)
    .replaceAll('<', '&lt;')
    .replaceAll('![', '!&#91;')
    .replace(/`{3,}|~{3,}/g, (run) => (run.startsWith('`') ? '&#96;' : '&#126;').repeat(run.length));
}

function escapeLine(text: string): string {
  return withoutControls(text)
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]<>()#+!|~&]/g, (character) => `\\${character}`);
}
