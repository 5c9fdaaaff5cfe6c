import { type MessageDiff, orderedParts, type SessionMessage, type SessionToolCall } from '@agent-mux/core';
import { hasFlag, type ParsedArgs } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { withClient } from '../open-client.ts';
import { print, printJson } from '../output.ts';
import { summarizeInput, summarizeOutput } from '../run/summaries.ts';
import { type Paint, paint } from '../screen/paint.ts';
import { escapeUnprintable, toOneLine } from '../screen/plain.ts';
import { table } from '../screen/table.ts';
import { clockTime } from '../screen/time.ts';
import { findSession, findSessionKey } from './find-session.ts';
import { resumeCommands } from './flags.ts';
import { formatMoney, formatTokens, titleOf } from './format.ts';

const SUMMARY_WIDTH = 100;
const SPEAKERS: Readonly<Record<SessionMessage['role'], string>> = { user: 'you', assistant: 'agent', system: 'note' };

export async function showSession(args: ParsedArgs): Promise<number> {
  const [id = ''] = args.positionals;
  return withClient(args, async (client) => {
    const summary = await findSession(client.sessions, id);
    const session = await client.sessions.get(`${summary.agent}:${summary.sessionId}`);
    if (hasFlag(args, 'json')) return printJson<'sessions show'>(session);
    const style = paint(process.stdout);
    const { resume, fork } = await resumeCommands(client, session);
    const left = (session.branches ?? []).filter(({ active }) => !active).length;
    const facts: [string, string | undefined][] = [
      ['agent', session.agent],
      ['session', session.sessionId],
      ['continues', session.parentSessionId],
      ['folder', session.cwd],
      ['model', session.model],
      ['last active', summary.updatedAt === undefined ? undefined : clockTime(summary.updatedAt)],
      ['tokens', formatTokens(summary.usage)],
      ['cost', summary.costUsd === null ? undefined : formatMoney(summary.costUsd, summary.costSource === 'estimated')],
      ['branches', left > 0 ? `${left} more; run "amux sessions export" to see them` : undefined],
      ['file', summary.path],
      ['unreadable', session.warnings?.join('; ')],
      ['resume', resume],
      ['fork', fork],
    ];
    // Commands are meant to be copied, so they are never truncated or escaped.
    const commands = [resume, fork];
    const rows = facts.flatMap(([name, value]) =>
      value ? [[name, commands.includes(value) ? value : toOneLine(value, 500)]] : [],
    );
    const wide = { keep: [0, 1], width: Number.POSITIVE_INFINITY };
    print(style.bold(titleOf(summary)));
    print(table(rows, (cell, _, column) => (column === 0 ? style.dim(cell) : cell), wide));
    for (const message of session.messages) print(`\n${messageText(message, style)}`);
    return EXIT.ok;
  });
}

export function messageText(message: SessionMessage, style: Paint): string {
  const { role } = message;
  const head = (role === 'user' ? style.green : style.cyan)(`${SPEAKERS[role] ?? 'note'}:`);
  const lines = orderedParts(message).flatMap((part) => {
    if (part.type === 'tool') return [toolLine(part.call, style)];
    const text = escapeUnprintable(part.text).trim();
    if (text === '') return [];
    return [part.type === 'thinking' ? style.dim(`✻ ${text}`) : text];
  });
  return [`${style.bold(head)}${when(message, style)}`, ...lines].join('\n');
}

function when({ timestamp }: SessionMessage, { dim }: Paint): string {
  return timestamp === undefined ? '' : dim(` ${clockTime(timestamp)}`);
}

function toolLine({ toolName, input, output, isError }: SessionToolCall, { cyan, bold, dim, red }: Paint): string {
  const what = summarizeInput(input, SUMMARY_WIDTH);
  const outcome =
    output === undefined
      ? dim('→ no result')
      : isError
        ? red(`✗ ${summarizeOutput(output, SUMMARY_WIDTH)}`)
        : dim(`→ ${summarizeOutput(output, SUMMARY_WIDTH)}`);
  return `${cyan('●')} ${bold(toOneLine(toolName, 60))}${what ? ` ${what}` : ''} ${outcome}`;
}

export async function diffSessions(args: ParsedArgs): Promise<number> {
  const [a = '', b = ''] = args.positionals;
  return withClient(args, async ({ sessions }) => {
    const diff = await sessions.diff(await findSessionKey(sessions, a), await findSessionKey(sessions, b));
    if (hasFlag(args, 'json')) return printJson<'sessions diff'>(diff);
    const style = paint(process.stdout);
    const total = diff.messages.length;
    print(style.red(`- ${diff.a.agent}:${toOneLine(diff.a.sessionId, 200)}  ${titleOf(diff.a)}`));
    print(style.green(`+ ${diff.b.agent}:${toOneLine(diff.b.sessionId, 200)}  ${titleOf(diff.b)}`));
    if (diff.sharedCount === total) return print(`The sessions are identical: ${total} messages.`);
    const shared = diff.sharedCount;
    print(
      shared === 0
        ? 'The first message differs.'
        : shared === 1
          ? 'The first message is the same.'
          : `The first ${shared} messages are the same.`,
    );
    for (const step of diff.messages.slice(shared)) print(`\n${stepText(step, style)}`);
    return EXIT.ok;
  });
}

function stepText(step: MessageDiff, style: Paint): string {
  if (step.kind === 'same') return style.dim(`  ${step.message.role}: ${toOneLine(step.message.text, SUMMARY_WIDTH)}`);
  if (step.kind === 'changed') {
    const lines = step.lines.map(({ sign, text }) => addSign(sign, text, style));
    return [`${style.bold(`${step.after.role}:`)}`, ...lines].join('\n');
  }
  const sign = step.kind === 'removed' ? '-' : '+';
  const lines = orderedParts(step.message).flatMap((part) => {
    if (part.type === 'tool') return [`${part.call.toolName} ${summarizeInput(part.call.input, SUMMARY_WIDTH)}`];
    return part.type === 'text' && part.text.trim() ? part.text.trim().split('\n') : [];
  });
  return [style.bold(`${step.message.role}:`), ...lines.map((line) => addSign(sign, line, style))].join('\n');
}

function addSign(sign: ' ' | '+' | '-', text: string, { red, green, dim }: Paint): string {
  const line = `${sign} ${escapeUnprintable(text)}`.trimEnd();
  return sign === '+' ? green(line) : sign === '-' ? red(line) : dim(line);
}
