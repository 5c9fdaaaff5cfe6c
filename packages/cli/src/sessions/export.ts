import { writeFile } from 'node:fs/promises';
import type { SessionFormat } from '@agent-mux/core';
import { type Given, isOn, textFlag } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { withClient } from '../open-client.ts';
import { printJson, tell } from '../output.ts';
import { escapeLeft } from '../screen/json.ts';
import { makePrintable } from '../screen/plain.ts';
import { UsageError } from '../usage-error.ts';
import { findSessionKey } from './find-session.ts';

/** Endings of files that say their format. */
const ENDINGS: Readonly<Record<string, SessionFormat>> = {
  json: 'json',
  jsonl: 'jsonl',
  md: 'markdown',
  markdown: 'markdown',
  html: 'html',
  htm: 'html',
};

export async function exportSession(given: Given): Promise<number> {
  const [id = ''] = given.words;
  const file = textFlag(given, 'out');
  const format = await formatOf(textFlag(given, 'format'), file);
  return withClient(given, async ({ sessions }) => {
    const text = await sessions.export(await findSessionKey(sessions, id), format);
    if (file === undefined) {
      // JSON stays JSON; the other formats are texts.
      process.stdout.write(format === 'json' || format === 'jsonl' ? escapeLeft(text) : makePrintable(text));
      return EXIT.ok;
    }
    try {
      // It is the user's own conversation: for nobody else to read unless they say so.
      await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      throw new UsageError(
        `--out: ${isTaken ? `${file} is there already` : reason}`,
        isTaken ? 'choose a file that is not there yet' : 'choose a folder that is there and can be written to',
      );
    }
    if (isOn(given, 'json')) return printJson<'sessions export'>({ file, format, bytes: Buffer.byteLength(text) });
    tell(`${file} written`);
    return EXIT.ok;
  });
}

/** The ending of a file is a promise: one that no format keeps is refused, and so is one that another format was asked for. */
async function formatOf(wanted: string | undefined, file: string | undefined): Promise<SessionFormat> {
  const { SESSION_FORMATS } = await import('@agent-mux/core');
  const known = `there are ${SESSION_FORMATS.join(', ')}`;
  const ending = file === undefined ? undefined : /[^/\\]\.(\w+)$/.exec(file)?.[1]?.toLowerCase();
  const byEnding = ending === undefined ? undefined : formatNamed(ending);
  if (wanted === undefined) {
    if (ending === undefined || byEnding) return byEnding ?? 'markdown';
    throw new UsageError(
      `--out: there is no export to .${ending}; ${known}`,
      '--format writes one of them into any file',
    );
  }
  const format = SESSION_FORMATS.find((each) => each === wanted) ?? formatNamed(wanted);
  if (!format) throw new UsageError(`--format: there is no export to "${wanted}"; ${known}`);
  if (byEnding && byEnding !== format) {
    throw new UsageError(`--out: ${file} would hold ${format}`, `--format ${byEnding}, or a file that ends otherwise`);
  }
  return format;
}

function formatNamed(ending: string): SessionFormat | undefined {
  return Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] : undefined;
}
