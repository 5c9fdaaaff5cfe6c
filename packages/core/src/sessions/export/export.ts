import type { SessionFormat } from '../../contract/session-queries.ts';
import type { Session } from '../../contract/sessions.ts';
import { toJson } from '../../values.ts';
import { writeHtml } from './html.ts';
import { writeMarkdown } from './markdown.ts';

const WRITERS: Readonly<Record<SessionFormat, (session: Session) => string>> = {
  json: (session) => `${toJson(session, 2)}\n`,
  jsonl: writeJsonLines,
  markdown: writeMarkdown,
  html: writeHtml,
};

/** Exports a session as a document. Its text is passed unchanged and cannot become part of the document's structure. */
export function exportSession(session: Session, format: SessionFormat): string {
  return WRITERS[format](session);
}

/** Metadata, then the messages one by one, then the inactive branches. */
function writeJsonLines({ messages, branches = [], ...session }: Session): string {
  const lines: unknown[] = [
    { type: 'session', ...session },
    ...messages.map((message) => ({ type: 'message', ...message })),
    ...branches
      .filter(({ active }) => !active)
      .map(({ id, messages: left }) => ({ type: 'branch', id, messages: left })),
  ];
  return lines.map((line) => `${toJson(line)}\n`).join('');
}
