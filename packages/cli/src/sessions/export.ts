import { writeFile } from 'node:fs/promises';
import type { SessionFormat } from '@agent-mux/core';
import { type Given, isOn, textFlag } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { withClient } from '../open-client.ts';
import { printJson, tell } from '../output.ts';
import { escapeLeft } from '../screen/json.ts';
import { printable } from '../screen/plain.ts';
import { UsageError } from '../usage-error.ts';

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
    const text = await sessions.export(id, format);
    if (file === undefined) {
      // JSON stays JSON; the other formats are texts.
      process.stdout.write(format === 'json' || format === 'jsonl' ? escapeLeft(text) : printable(text));
      return EXIT.ok;
    }
    try {
      // It is the user's own conversation: for nobody else to read unless they say so.
      await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new UsageError(`--out: ${reason}`, 'choose a file that is not there yet');
    }
    if (isOn(given, 'json')) return printJson({ file, format, bytes: Buffer.byteLength(text) });
    tell(`${file} written`);
    return EXIT.ok;
  });
}

async function formatOf(wanted: string | undefined, file: string | undefined): Promise<SessionFormat> {
  const { SESSION_FORMATS } = await import('@agent-mux/core');
  if (wanted === undefined) return ENDINGS[/\.(\w+)$/.exec(file ?? '')?.[1]?.toLowerCase() ?? ''] ?? 'markdown';
  const format = SESSION_FORMATS.find((known) => known === wanted) ?? ENDINGS[wanted];
  if (format) return format;
  throw new UsageError(`--format: "${wanted}" is not one of ${SESSION_FORMATS.join(', ')}`);
}
