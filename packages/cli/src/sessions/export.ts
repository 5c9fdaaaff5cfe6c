import { writeFile } from 'node:fs/promises';
import type { SessionFormat } from '@agent-mux/core';
import { hasFlag, type ParsedArgs, stringFlag } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { withClient } from '../open-client.ts';
import { printInfo, printJson } from '../output.ts';
import { escapeLeft } from '../screen/json.ts';
import { escapeUnprintable } from '../screen/plain.ts';
import { UsageError } from '../usage-error.ts';
import { findSessionKey } from './find-session.ts';

/** File extensions that imply a format. */
const ENDINGS: Readonly<Record<string, SessionFormat>> = {
  json: 'json',
  jsonl: 'jsonl',
  md: 'markdown',
  markdown: 'markdown',
  html: 'html',
  htm: 'html',
};

export async function exportSession(args: ParsedArgs): Promise<number> {
  const [id = ''] = args.positionals;
  const file = stringFlag(args, 'out');
  const format = await formatOf(stringFlag(args, 'format'), file);
  return withClient(args, async ({ sessions }) => {
    const text = await sessions.export(await findSessionKey(sessions, id), format);
    if (file === undefined) {
      // JSON is escaped as JSON; the other formats are plain text.
      process.stdout.write(format === 'json' || format === 'jsonl' ? escapeLeft(text) : escapeUnprintable(text));
      return EXIT.ok;
    }
    try {
      // A private conversation: readable by the user only.
      await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      throw new UsageError(
        `--out: ${isTaken ? `${file} already exists` : reason}`,
        isTaken ? 'choose another file name' : 'choose a writable folder',
      );
    }
    if (hasFlag(args, 'json')) return printJson<'sessions export'>({ file, format, bytes: Buffer.byteLength(text) });
    printInfo(`${file} written`);
    return EXIT.ok;
  });
}

/** Rejects a file extension that no format has, or one that contradicts --format. */
async function formatOf(wanted: string | undefined, file: string | undefined): Promise<SessionFormat> {
  const { SESSION_FORMATS } = await import('@agent-mux/core');
  const known = `use one of ${SESSION_FORMATS.join(', ')}`;
  const ending = file === undefined ? undefined : /[^/\\]\.(\w+)$/.exec(file)?.[1]?.toLowerCase();
  const byEnding = ending === undefined ? undefined : formatNamed(ending);
  if (wanted === undefined) {
    if (ending === undefined || byEnding) return byEnding ?? 'markdown';
    throw new UsageError(`--out: unknown format .${ending}; ${known}`, 'use --format to write a format to any file');
  }
  const format = SESSION_FORMATS.find((each) => each === wanted) ?? formatNamed(wanted);
  if (!format) throw new UsageError(`--format: unknown format "${wanted}"`, known);
  if (byEnding && byEnding !== format) {
    throw new UsageError(
      `--out: the extension of ${file} does not match format ${format}`,
      `use --format ${byEnding}, or another extension`,
    );
  }
  return format;
}

function formatNamed(ending: string): SessionFormat | undefined {
  return Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] : undefined;
}
