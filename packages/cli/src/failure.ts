import type { ErrorCode } from '@agent-mux/core';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { printJsonLine } from './output.ts';
import { paint } from './screen/paint.ts';
import { makePrintable, toOneLine } from './screen/plain.ts';
import { UsageError } from './usage-error.ts';

/** What went wrong, in the words of the one who reads it. */
export interface Failure {
  code: ErrorCode;
  /** The daemon's own, finer word, where it has refused: `TURN_RUNNING`, `REQUEST_CLOSED`, ... */
  problem?: string;
  message: string;
  hint?: string;
  agent?: string;
  exitCode: number;
}

/** Any error as what is shown of it; an unexpected one is a fault of amux and says so. */
export async function describeFailure(error: unknown): Promise<Failure> {
  if (error instanceof UsageError) {
    return { code: 'VALIDATION_ERROR', message: error.message, hint: error.hint, exitCode: EXIT.usage };
  }
  const { AgentMuxError, asStorageError, messageOf } = await import('@agent-mux/core/light');
  const known = error instanceof AgentMuxError ? error : asStorageError(error);
  if (known) {
    const { code, message, hint, agent } = known;
    const { PROBLEMS, problemOf } = await import('./daemon/problems.ts');
    const problem = problemOf(known);
    const meaning = problem === undefined ? undefined : PROBLEMS[problem];
    return {
      code,
      ...(problem === undefined ? {} : { problem }),
      message,
      hint: hint ?? meaning?.hint,
      agent,
      exitCode: meaning?.exitCode ?? exitCodeOf(code),
    };
  }
  const message = messageOf(error);
  const stack = error instanceof Error && process.env.AMUX_DEBUG ? `\n${error.stack}` : '';
  return {
    code: 'INTERNAL_ERROR',
    message: `unexpected: ${message}${stack}`,
    hint: 'this is a fault of amux; AMUX_DEBUG=1 shows where',
    exitCode: EXIT.failure,
  };
}

/** What is told to a person, and nothing to programs: they have the result. */
export type ToldFailure = Omit<Failure, 'code'>;

/** Two lines for a person on stderr, and for a program that asked for JSON one line on stdout. */
export function reportFailure(failure: Failure, json: boolean): void {
  tellFailure(failure);
  if (json) printJsonLine({ type: 'error', ...failure });
}

export function tellFailure({ message, hint }: ToldFailure): void {
  const { red, dim } = paint(process.stderr);
  process.stderr.write(
    `${red('amux:')} ${process.env.AMUX_DEBUG ? makePrintable(message) : toOneLine(message, 2000)}\n`,
  );
  if (hint) process.stderr.write(`${dim('hint:')} ${toOneLine(hint, 2000)}\n`);
}
